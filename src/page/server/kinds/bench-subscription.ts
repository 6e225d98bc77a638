import { messageOf } from '../../../base/message-of.ts'
import { asKubeObject, type JsonObject } from '../../../machinery/object.ts'
import { encodeYaml } from '../../../machinery/yaml/yaml.ts'
import type { CustomResourceDefinition, DefinitionVersion } from '../../../resources/apiextensions/types.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../resources/refs.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { BenchDraft, KindBench, KindStep } from '../../wire/kind-bench.ts'
import type { ClientMessage } from '../../wire/messages.ts'
import { shownText } from '../../wire/shown-text.ts'
import { EDITOR } from '../edit/check-draft.ts'
import { faultsOf, readText } from '../edit/draft-faults.ts'
import type { Subscription } from '../subscription.ts'
import { conversionSteps } from './conversion-steps.ts'
import { kindSteps } from './kind-steps.ts'
import { storedStep } from './stored-step.ts'
import { withTypedSchema } from './typed-schema.ts'

interface BenchSubscriptionDeps {
  readonly id: number
  readonly client: Client
  changed(): void
}

/** Characters of a text that goes through the steps: it is taken in one turn. */
const MAX_TEXT = 256 * 1024

/** An object of a custom kind on its way through the server, at each pause in typing. */
export class BenchSubscription implements Subscription {
  readonly #deps: BenchSubscriptionDeps
  #draft: BenchDraft
  #running = new AbortController()
  #bench: KindBench | undefined
  #problem = ''

  constructor(deps: BenchSubscriptionDeps, draft: BenchDraft) {
    this.#deps = deps
    this.#draft = draft
    this.#run()
  }

  ask(message: ClientMessage): boolean {
    if (message.type !== 'bench' || message.draft.definition !== this.#draft.definition) return false
    this.#draft = message.draft
    this.#run()
    return true
  }

  next() {
    const { id } = this.#deps
    if (this.#problem !== '') return { type: 'error', id, message: this.#problem } as const
    return this.#bench && ({ type: 'bench', id, bench: this.#bench } as const)
  }

  stop(): void {
    this.#running.abort()
  }

  #run(): void {
    this.#running.abort()
    const running = new AbortController()
    this.#running = running
    const done = (take: () => void) => {
      if (running.signal.aborted) return
      take()
      this.#deps.changed()
    }
    benchOf(this.#deps.client, this.#draft, running.signal).then(
      (bench) =>
        done(() => {
          this.#bench = bench
          this.#problem = ''
        }),
      (error: unknown) =>
        done(() => {
          this.#problem = shownText(messageOf(error))
        }),
    )
  }
}

async function benchOf(client: Client, { definition: name, text, schema, serial }: BenchDraft, signal: AbortSignal): Promise<KindBench> {
  const definition = await client.get<CustomResourceDefinition>({ ...CUSTOM_RESOURCE_DEFINITIONS, name }, { signal })
  const served = (definition.spec.versions ?? []).filter((each) => each.served)
  const [first] = served
  const given = text === '' && first !== undefined ? encodeYaml(exampleOf(definition, first)) : text
  const nothing = { serial, text: given, schema, schemaFaults: [], faults: [], steps: [], stored: '' }
  if (given.length > MAX_TEXT) return { ...nothing, faults: [{ line: 0, message: `only ${MAX_TEXT} characters are tried` }] }
  const typed = readText(given)
  if (typed.kind === 'faulty') return { ...nothing, faults: typed.faults }
  const version = served.find((each) => `${definition.spec.group}/${each.name}` === typed.object.apiVersion)
  if (version === undefined || typed.object.kind !== definition.spec.names.kind) {
    const wanted = served.map((each) => `${definition.spec.group}/${each.name}`).join(' or ')
    return { ...nothing, faults: [{ line: 1, message: shownText(`this is no ${definition.spec.names.kind} of ${wanted}`) }] }
  }
  const tried = await withTypedSchema(client, { definition, version, text: schema }, signal)
  const steps = [
    ...kindSteps(tried.definition, tried.version, typed.object),
    ...(await conversionSteps(client, { definition, version, object: typed.object }, signal)),
    await storedStep(client, tried, signal),
  ]
  const ran = await dryRun(client, { definition, version, object: typed.object, text: given, steps }, signal)
  return { ...nothing, ...ran, schema: tried.text, schemaFaults: tried.faults }
}

interface Tried {
  readonly definition: CustomResourceDefinition
  readonly version: DefinitionVersion
  readonly object: JsonObject
  readonly text: string
  readonly steps: readonly KindStep[]
}

/** What the server makes of it, with webhooks and policies. */
async function dryRun(client: Client, { definition, version, object, text, steps }: Tried, signal: AbortSignal) {
  const { group, names, scope } = definition.spec
  const wanted = asKubeObject(object)
  const namespace = scope === 'Namespaced' ? { namespace: wanted.metadata.namespace ?? 'default' } : {}
  const target = { group, version: version.name, resource: names.plural, ...namespace }
  try {
    const stored = await client.create(target, wanted, { dryRun: true, fieldManager: EDITOR, signal })
    const { managedFields: _, ...metadata } = stored.metadata
    const shown = encodeYaml({ ...stored, metadata } as unknown as JsonObject)
    return {
      faults: [],
      steps: [...steps, { name: 'dry run', tone: 'done' as const, lines: ['the server would store it'] }],
      stored: shown,
    }
  } catch (error) {
    signal.throwIfAborted()
    const line = { name: 'dry run', tone: 'bad' as const, lines: [shownText(messageOf(error))] }
    return { faults: faultsOf(error, text), steps: [...steps, line], stored: '' }
  }
}

/** A text to begin with. */
const exampleOf = ({ spec }: CustomResourceDefinition, { name }: DefinitionVersion): JsonObject => ({
  apiVersion: `${spec.group}/${name}`,
  kind: spec.names.kind,
  metadata: { name: 'example' },
  spec: {},
})
