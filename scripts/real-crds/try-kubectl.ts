import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { kubectlPath } from '../clients.ts'
import type { Manifests } from './read-manifests.ts'

const run = promisify(execFile)

/** Something that kubectl said, or did not say. */
export interface KubectlTrial {
  readonly text: string
  readonly fault: boolean
}

/** Where the definitions are: served by `cluster`, whose kubeconfig lies in `home`, and as files in `folder`. */
export interface KubectlPlace {
  readonly cluster: Cluster
  readonly home: string
  readonly folder: string
}

/** Discovery, `explain --recursive` of every definition, and `apply --server-side` of the large ones, twice. */
export async function* tryKubectl({ definitions }: Manifests, { cluster, home, folder }: KubectlPlace): AsyncGenerator<KubectlTrial> {
  await cluster.listen()
  const env = { ...process.env, KUBECONFIG: `${home}/kubeconfig`, HOME: home }
  const kubectl = async (...args: string[]) => {
    const from = performance.now()
    const { stdout, stderr } = await run(kubectlPath(), args, { env, maxBuffer: 2 ** 28 }).catch(
      (e: { stdout: string; stderr: string }) => e,
    )
    return { stdout, stderr, ms: performance.now() - from }
  }
  const listed = await kubectl('api-resources', '-o', 'name')
  const names = new Set(listed.stdout.split('\n'))
  const hidden = definitions.filter(({ object }) => !names.has(object.metadata.name ?? ''))
  yield { text: `api-resources in ${listed.ms.toFixed(0)} ms; not listed: ${hidden.length}${listed.stderr}`, fault: hidden.length > 0 }
  const builtin = new Set([...names].filter((name) => !name.includes('.')))
  let slowest = 0
  for (const { object } of definitions) {
    const { names: own, group, versions } = object.spec
    const version = versions?.find((v) => v.served)?.name ?? ''
    // kubectl takes a name that the core group knows for that one, whatever follows it.
    const which = builtin.has(own.plural) ? [own.plural, `--api-version=${group}/${version}`] : [object.metadata.name ?? '']
    const { stdout, stderr, ms } = await kubectl('explain', ...which, '--recursive')
    slowest = Math.max(slowest, ms)
    const good =
      stdout.includes(`KIND:       ${own.kind}\n`) && stdout.includes(`GROUP:      ${group}\n`) && /^FIELDS:|^DESCRIPTION:/m.test(stdout)
    if (!good || stderr !== '') yield { text: `explain ${object.metadata.name}: ${stdout.slice(0, 200)} ${stderr}`, fault: true }
  }
  yield { text: `explain of ${definitions.length} definitions, each within ${slowest.toFixed(0)} ms`, fault: false }
  for (const { object, file, sizeBytes } of definitions) {
    if (sizeBytes < 200_000) continue
    for (let turn = 0; turn < 2; turn++) {
      const { stdout, stderr, ms } = await kubectl('apply', '--server-side', '--force-conflicts', '-f', `${folder}/${file}`)
      const good = stdout.includes(`${object.metadata.name} serverside-applied`) && !stderr.replace(/^Warning: .*$/gm, '').trim()
      yield {
        text: `apply --server-side ${object.metadata.name} in ${ms.toFixed(0)} ms${good ? '' : `: ${stderr}${stdout}`}`,
        fault: !good,
      }
    }
  }
}
