import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Command } from 'commander'
import { systemClock } from '../base/clock.ts'
import { splitDocuments } from '../machinery/yaml/line-map.ts'
import { decodeYaml } from '../machinery/yaml/yaml.ts'
import type { CustomResourceDefinition } from '../resources/apiextensions/types.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { httpsTransport } from '../sdk/client/https.ts'
import { generateTypes } from '../tools/generate-types.ts'
import { type KubeconfigFlags, kubeconfigOf, withClusterOptions } from './kubeconfig-file.ts'
import { several, word, writableFile } from './option-values.ts'
import { reporting, UsageError } from './report-failure.ts'

interface GenerateFlags extends KubeconfigFlags {
  readonly output?: string
}

/** `bowsprit generate types`: TypeScript types of a definition in a file or in a running cluster. */
export function generateCommand(): Command {
  const types = withClusterOptions(
    new Command('types')
      .description('write TypeScript types of custom resources')
      .argument(
        '<what...>',
        'files of CustomResourceDefinitions, or their names in a running cluster (shirts.stable.example.com)',
        several(word),
      )
      .option('-o, --output <file>', 'the file to write (default: standard output)', writableFile),
  ).action(generate)
  return new Command('generate').description('generate code').addCommand(types)
}

const generate = (what: string[], flags: GenerateFlags): Promise<void> =>
  reporting('generate types', async () => {
    const found = (await Promise.all(what.map((w) => definitionsOf(w, flags)))).flat()
    const text = found.map((crd) => generateTypes(crd)).join('\n')
    if (flags.output === undefined) process.stdout.write(text)
    else writeFileSync(flags.output, text)
  })

async function definitionsOf(what: string, flags: GenerateFlags): Promise<CustomResourceDefinition[]> {
  if (/\.(ya?ml|json)$/.test(what)) {
    if (!existsSync(what)) throw new UsageError(`${what} does not exist: name a file, or a definition of a cluster`)
    const values = splitDocuments(readFileSync(what, 'utf8')).map((d) => decodeYaml(d.text).value as CustomResourceDefinition | null)
    const found = values.flatMap((value) => (value?.kind === 'CustomResourceDefinition' ? [value] : []))
    if (found.length === 0) throw new UsageError(`${what} has no CustomResourceDefinition`)
    return found
  }
  await using transport = httpsTransport(await kubeconfigOf(flags), { clock: systemClock })
  const target = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions', name: what }
  return [await createClient(transport).get<CustomResourceDefinition>(target)]
}
