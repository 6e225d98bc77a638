import { Command } from 'commander'
import { type Clock, systemClock } from '../../base/clock.ts'
import { KindCatalogue } from '../../page/server/kinds/kind-catalogue.ts'
import { ClusterIndex } from '../../page/server/overview/cluster-index.ts'
import { relationsOf } from '../../page/server/overview/relations-subscription.ts'
import { Collections } from '../../page/server/rows/collections.ts'
import type { ObjectName } from '../../page/wire/object-name.ts'
import type { KindEntry } from '../../page/wire/overview.ts'
import type { Client } from '../../sdk/client/client.ts'
import { createClient } from '../../sdk/client/create-client.ts'
import { httpsTransport } from '../../sdk/client/https.ts'
import { type KubeconfigFlags, kubeconfigOf, withClusterOptions } from '../kubeconfig-file.ts'
import { oneOf, word } from '../option-values.ts'
import { reporting, UsageError } from '../report-failure.ts'
import { treeText } from './tree-text.ts'

interface TreeFlags extends KubeconfigFlags {
  readonly namespace?: string
  readonly output?: string
}

/** `bowsprit tree KIND/NAME`: the owners of an object, and what they and it own. */
export function treeCommand(): Command {
  return withClusterOptions(
    new Command('tree')
      .description('show the owners of an object, everything that they own, and which of these objects have problems')
      .argument('<kind>', 'as for kubectl: deployment, deploy, deployments.apps, Deployment; or KIND/NAME', word)
      .argument('[name]', 'the name of the object', word)
      .option('-n, --namespace <name>', 'its namespace (default: that of the context)', word)
      .option('-o, --output <form>', '"json": the objects of the tree', oneOf('json')),
  ).action(tree)
}

const tree = (given: string, second: string | undefined, flags: TreeFlags): Promise<void> =>
  reporting('tree', async () => {
    const [kind = '', name = second ?? ''] = given.split('/')
    if (name === '') throw new UsageError(`name the object: bowsprit tree ${kind} NAME`)
    const config = await kubeconfigOf(flags)
    await using transport = httpsTransport(config)
    const namespace = flags.namespace ?? config.namespace ?? 'default'
    const found = await treeOf({ client: createClient(transport), clock: systemClock }, { word: kind, namespace, name })
    console.log(flags.output === 'json' ? JSON.stringify(found.tree, undefined, 2) : treeText(found.tree))
    for (const problem of found.problems) console.error(problem)
  })

interface TreeRequest {
  /** A kind, as kubectl takes it. */
  readonly word: string
  readonly namespace: string
  readonly name: string
}

/** Reads all kinds, as the page does. Those that the user may not list are problems. */
async function treeOf(deps: { readonly client: Client; readonly clock: Clock }, { word, namespace, name }: TreeRequest) {
  const catalogue = new KindCatalogue(deps.client)
  const kind = kindOf(await catalogue.kinds(), word)
  const { group, version, resource, namespaced } = kind
  const object: ObjectName = { group, version, resource, namespace: namespaced ? namespace : '', name }
  const collections = new Collections(deps)
  const index = new ClusterIndex(catalogue, collections)
  try {
    await allRead(index)
    const problems = index.collections
      .filter(({ problem }) => problem !== '')
      .map(({ deps, problem }) => `${deps.kind.resource}: ${problem}`)
    const { tree, unsent } = relationsOf(index.collections, object)
    if (tree.length === 0) throw new Error(`${resource} "${name}" not found${namespaced ? ` in namespace ${namespace}` : ''}`)
    return { tree, problems: unsent > 0 ? [...problems, `and ${unsent} more objects`] : problems }
  } finally {
    index.stop()
    collections.stop()
  }
}

/** Resolves when each collection is complete, or cannot be read. */
function allRead(index: ClusterIndex): Promise<void> {
  return new Promise((resolve) => {
    let begun = false
    const look = () => {
      if (begun && index.loading === 0) resolve()
    }
    index.look((collections) => {
      for (const collection of collections) collection.listen(look)
      look()
    })
    begun = true
  })
}

function kindOf(kinds: readonly KindEntry[], given: string): KindEntry {
  const [word = '', ...group] = given.toLowerCase().split('.')
  const found = kinds.find(
    (kind) =>
      [kind.resource, kind.kind.toLowerCase(), ...kind.shortNames].includes(word) && (group.length === 0 || kind.group === group.join('.')),
  )
  if (found === undefined) throw new Error(`the cluster has no kind ${JSON.stringify(given)} that can be listed`)
  return found
}
