/**
 * `node scripts/real-crds.ts FOLDER`: creates every CustomResourceDefinition of a folder of YAML files, asks for objects of each (valid and
 * not), and holds discovery, `kubectl explain` and `kubectl apply --server-side` against what they should say. Prints a line a definition;
 * fails when one is wrong. Objects in the folder are tried too: those that lie in a folder named `invalid` have to be refused.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { styleText } from 'node:util'
import { startCluster } from '../src/cluster/start-cluster.ts'
import { readManifests } from './real-crds/read-manifests.ts'
import { type DefinitionTrial, tryDefinitions } from './real-crds/try-definitions.ts'
import { tryKubectl } from './real-crds/try-kubectl.ts'

const [folder, ...options] = process.argv.slice(2)
if (folder === undefined) {
  console.error('usage: node scripts/real-crds.ts FOLDER [--no-kubectl]')
  process.exit(2)
}
const manifests = readManifests(folder)
const home = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-crds-'))
const kubeconfig = path.join(home, 'kubeconfig')
const trials: DefinitionTrial[] = []
const faults: string[] = []
{
  await using cluster = await startCluster({ parts: ['server'], ephemeral: true, port: 0, kubeconfig }, { quiet: true })
  for await (const trial of tryDefinitions(manifests, cluster.client())) {
    trials.push(trial)
    const mark = trial.faults.length === 0 ? styleText('green', '✓') : styleText('red', '✗')
    const size = `${(trial.sizeBytes / 1024).toFixed(0)} KB`
    console.log(`${mark} ${trial.name}  ${size}  ${trial.ms.toFixed(0)} ms  ${trial.conditions.join(',')}  ${trial.good} answers right`)
    for (const fault of trial.faults) console.log(styleText('red', `    ${fault}`))
    for (const note of trial.notes) console.log(styleText('yellow', `    ${note}`))
    faults.push(...trial.faults)
  }
  if (!options.includes('--no-kubectl')) {
    for await (const { text, fault } of tryKubectl(manifests, { cluster, home, folder })) {
      console.log(fault ? styleText('red', `✗ ${text}`) : `✓ ${text}`)
      if (fault) faults.push(text)
    }
  }
}
rmSync(home, { recursive: true, force: true })
const established = trials.filter((t) => t.conditions.includes('Established')).length
const times = trials.map((t) => t.ms).sort((a, b) => a - b)
const sizes = trials.map((t) => t.sizeBytes / 1024).sort((a, b) => a - b)
const middle = (sorted: readonly number[]) => (sorted[Math.floor(sorted.length / 2)] ?? 0).toFixed(0)
console.log(
  `${trials.length} definitions, ${established} Established; ${middle(sizes)} KB (at most ${sizes.at(-1)?.toFixed(0)}), ` +
    `${middle(times)} ms (at most ${times.at(-1)?.toFixed(0)}); ${trials.reduce((n, t) => n + t.good, 0)} answers right, ` +
    `${trials.reduce((n, t) => n + t.notes.length, 0)} objects not made, ${faults.length} faults; ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MB`,
)
process.exitCode = faults.length === 0 ? 0 : 1
