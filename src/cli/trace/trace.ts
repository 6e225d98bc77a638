import { readFileSync } from 'node:fs'
import { Argument, Command } from 'commander'
import { type Clock, systemClock } from '../../base/clock.ts'
import { systemRandom } from '../../base/random.ts'
import { apiVersionOf, asKubeObject, isObject, type KubeObject } from '../../machinery/object.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { splitDocuments } from '../../machinery/yaml/line-map.ts'
import { decodeYaml } from '../../machinery/yaml/yaml.ts'
import { REQUEST_TRAILS } from '../../resources/bowsprit/report-refs.ts'
import type { Client } from '../../sdk/client/client.ts'
import { createClient } from '../../sdk/client/create-client.ts'
import { createDiscovery, type DiscoveredResource } from '../../sdk/client/discovery.ts'
import { httpsTransport } from '../../sdk/client/https.ts'
import { type KubeconfigFlags, kubeconfigOf, withClusterOptions } from '../kubeconfig-file.ts'
import { existingFile, oneOf, orWord, several, wholeNumber, word } from '../option-values.ts'
import { readOptionFile } from '../read-option-file.ts'
import { reporting } from '../report-failure.ts'
import { traceText } from './trace-text.ts'

const VERBS = ['create', 'apply', 'delete'] as const
type TracedVerb = (typeof VERBS)[number]

interface TraceFlags extends KubeconfigFlags {
  readonly filename: readonly string[]
  readonly namespace?: string
  readonly wait: number
  readonly output?: string
}

/** `bowsprit trace create -f FILE`: sends objects, and shows the way of each request through the server. */
export function traceCommand(): Command {
  return withClusterOptions(
    new Command('trace')
      .description('create, apply or delete objects, and show how the server processed each request, and what happened then')
      .addArgument(new Argument('<verb>', 'what to do with the objects').choices(VERBS))
      .requiredOption('-f, --filename <file>', 'YAML or JSON; "-" is standard input (repeatable)', several(orWord('-', existingFile)))
      .option('-n, --namespace <name>', 'the namespace of objects without one (default: that of the context)', word)
      .option('--wait <milliseconds>', 'how long to wait for controllers, scheduler and nodes', wholeNumber(0, 600_000), 1000)
      .option('-o, --output <form>', '"json": the RequestTrails', oneOf('json')),
  ).action(trace)
}

const trace = (verb: TracedVerb, flags: TraceFlags): Promise<void> =>
  reporting('trace', async () => {
    const objects = (await Promise.all(flags.filename.map((file) => readOptionFile('--filename', file, objectsIn)))).flat()
    const config = await kubeconfigOf(flags)
    // By which the requests of this run are found among all.
    const userAgent = `bowsprit-trace/${systemRandom().uuid()}`
    await using transport = httpsTransport({ ...config, userAgent })
    const namespace = flags.namespace ?? config.namespace ?? 'default'
    const tracer = { client: createClient(transport), clock: systemClock, userAgent, namespace, waitMs: flags.wait }
    const { trails, refused } = await traced(tracer, verb, objects)
    console.log(flags.output === 'json' ? JSON.stringify(trails, undefined, 2) : trails.map(traceText).join('\n\n'))
    if (refused) process.exitCode = 1
  })

function objectsIn(file: string): readonly KubeObject[] {
  const objects = splitDocuments(readFileSync(file === '-' ? 0 : file, 'utf8'))
    .map(({ text }) => decodeYaml(text).value)
    .filter(isObject)
    .map(asKubeObject)
  if (objects.length === 0) throw new Error('there is no object in it')
  if (objects.some(({ apiVersion, kind }) => typeof apiVersion !== 'string' || typeof kind !== 'string'))
    throw new Error('an object without apiVersion and kind')
  return objects
}

interface Tracer {
  readonly client: Client
  readonly clock: Clock
  readonly userAgent: string
  readonly namespace: string
  readonly waitMs: number
}

/** Sends the objects while the trails are watched: only then the server records what each plugin changed. */
async function traced(tracer: Tracer, verb: TracedVerb, objects: readonly KubeObject[]) {
  const { client, clock, userAgent, waitMs } = tracer
  const { resources } = await createDiscovery(client).read()
  if (!resources.some(({ group, resource }) => group === REQUEST_TRAILS.group && resource === REQUEST_TRAILS.resource))
    throw new Error('this cluster records no requests: "bowsprit up" does')
  const stop = new AbortController()
  const watching = watchTrails(client, stop.signal)
  await watching.begun
  const results = []
  for (const object of objects) results.push(await send(tracer, verb, object, resources))
  await clock.sleep(waitMs)
  stop.abort()
  await watching.ended
  const { items } = await client.list(REQUEST_TRAILS)
  const trails = items.filter((trail) => trail.userAgent === userAgent && ['create', 'patch', 'delete'].includes(trail.verb))
  return { trails, refused: results.includes('refused') }
}

function watchTrails(client: Client, signal: AbortSignal) {
  const begun = Promise.withResolvers<void>()
  const read = async () => {
    const { metadata } = await client.list(REQUEST_TRAILS, { limit: 1 })
    // The first event is that of this watch itself, or a later one.
    for await (const _ of client.watch(REQUEST_TRAILS, { resourceVersion: metadata.resourceVersion ?? '', signal })) begun.resolve()
  }
  const ended = read()
  ended.catch(begun.reject)
  return { begun: begun.promise, ended }
}

/** Sends one object; a refusal is a result, for it has a trail. */
async function send(
  { client, namespace }: Tracer,
  verb: TracedVerb,
  object: KubeObject,
  resources: readonly DiscoveredResource[],
): Promise<'done' | 'refused'> {
  const { apiVersion = '', kind = '', metadata } = object
  const ref = resources.find((r) => apiVersionOf(r) === apiVersion && r.kind === kind && !r.resource.includes('/'))
  if (ref === undefined) throw new Error(`the cluster serves no ${kind} of ${apiVersion}`)
  const { group, version, resource } = ref
  const target = { group, version, resource, ...(ref.namespaced && { namespace: metadata.namespace ?? namespace }) }
  const named = { ...target, name: metadata.name ?? '' }
  try {
    if (verb === 'create') await client.create(target, object)
    else if (verb === 'apply') await client.patch(named, 'apply', object, { fieldManager: 'bowsprit-trace' })
    else await client.delete(named)
    return 'done'
  } catch (error) {
    if (error instanceof StatusError) return 'refused'
    throw error
  }
}
