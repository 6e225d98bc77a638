import type { KubeObject } from '../../src/machinery/object.ts'
import { StatusError } from '../../src/machinery/status-error.ts'
import type { CustomResourceDefinition } from '../../src/resources/apiextensions/types.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import type { Manifest, Manifests } from './read-manifests.ts'
import { tryObjects } from './try-objects.ts'

/** How it went with one definition. */
export interface DefinitionTrial {
  readonly name: string
  readonly sizeBytes: number
  /** Until it was Established and answered a list. */
  readonly ms: number
  readonly conditions: readonly string[]
  readonly faults: readonly string[]
  readonly notes: readonly string[]
  readonly good: number
}

const DEFINITIONS = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' }

/** Creates every definition, waits for it to be served, and tries objects of each of its versions. */
export async function* tryDefinitions({ definitions, objects }: Manifests, client: Client): AsyncGenerator<DefinitionTrial> {
  for (const manifest of definitions) {
    const crd = manifest.object
    const name = crd.metadata.name ?? ''
    const base = { name, sizeBytes: manifest.sizeBytes }
    const from = performance.now()
    const refused = await establish(crd, client)
    const ms = performance.now() - from
    if (refused !== undefined) {
      yield { ...base, ms, conditions: [], faults: [refused], notes: [], good: 0 }
      continue
    }
    const conditions = await conditionsOf(name, client)
    const faults = ['NamesAccepted', 'Established'].filter((c) => !conditions.includes(c)).map((c) => `it is not ${c}`)
    const notes: string[] = []
    let good = 0
    if (faults.length === 0) {
      const trials = []
      for (const version of triedVersions(crd)) trials.push(await tryObjects(crd, version, client))
      trials.push(await tryGiven(crd, objects, client))
      for (const trial of trials) {
        faults.push(...trial.faults)
        notes.push(...trial.notes)
        good += trial.good
      }
    }
    yield { ...base, ms, conditions, faults, notes, good }
  }
}

/** Versions whose objects can be had: where a webhook converts, which is not there, only the one that is stored. */
function triedVersions({ spec }: CustomResourceDefinition): string[] {
  const webhook = spec.conversion?.strategy === 'Webhook'
  return (spec.versions ?? []).filter((v) => v.served && (v.storage || !webhook)).map((v) => v.name)
}

/** Why a definition is not served; undefined when it is. */
async function establish(crd: CustomResourceDefinition, client: Client): Promise<string | undefined> {
  const { group, names, versions } = crd.spec
  try {
    await client.create(DEFINITIONS, crd)
    const version = versions?.find((v) => v.served)?.name ?? ''
    await client.list({ group, version, resource: names.plural })
    return undefined
  } catch (error) {
    if (error instanceof StatusError) return error.message
    throw error
  }
}

/** The conditions that hold. The status follows a definition at once, but not in the same answer. */
async function conditionsOf(name: string, client: Client): Promise<string[]> {
  for (let tries = 0; ; tries++) {
    const crd = await client.get<CustomResourceDefinition>({ ...DEFINITIONS, name })
    const held = (crd.status?.conditions ?? []).filter((c) => c.status === 'True').map((c) => c.type)
    if (held.includes('Established') || tries === 100) return held
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** The objects of the folder: those of `invalid` are refused, all others are taken. */
async function tryGiven(crd: CustomResourceDefinition, objects: readonly Manifest[], client: Client) {
  const faults: string[] = []
  let good = 0
  const { group, names, scope } = crd.spec
  const tried = triedVersions(crd)
  for (const { object, file, invalid } of objects) {
    const [objectGroup, version = ''] = (object.apiVersion ?? '').split('/')
    if (objectGroup !== group || object.kind !== names.kind || !tried.includes(version)) continue
    // Files made by reading an object back contain what a server adds.
    const { namespace: _, resourceVersion: __, ...metadata } = object.metadata ?? {}
    const target = { group, version, resource: names.plural, ...(scope === 'Namespaced' && { namespace: 'default' }) }
    const answer = await client.create(target, { ...object, metadata } as KubeObject, { dryRun: true, fieldValidation: 'Warn' }).then(
      () => 'it was taken',
      (error: unknown) => (error instanceof StatusError ? error.message : Promise.reject(error)),
    )
    if (invalid === (answer !== 'it was taken')) good++
    else faults.push(`${file}: ${answer}`)
  }
  return { faults, notes: [], good }
}
