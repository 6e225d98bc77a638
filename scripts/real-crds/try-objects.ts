import { cloneJson, type JsonObject, type KubeObject } from '../../src/machinery/object.ts'
import { StatusError } from '../../src/machinery/status-error.ts'
import { preserves, type SchemaProps } from '../../src/machinery/structural/schema-props.ts'
import type { CustomResourceDefinition } from '../../src/resources/apiextensions/types.ts'
import type { Client, Target } from '../../src/sdk/client/client.ts'
import { pathTo, putAt, type SamplePath, sampleOf } from './sample-object.ts'

/** What became of the objects that were made up for one version of a definition. */
export interface ObjectTrial {
  /** Answers that are not as they should be. */
  readonly faults: readonly string[]
  /** Objects that the generator could not make valid, with what the server said. */
  readonly notes: readonly string[]
  /** Answers that were as they should be. */
  readonly good: number
}

/** Holds the answers to a valid object, an unknown field, a wrong type and a value that is not listed against what they have to be. */
export async function tryObjects(crd: CustomResourceDefinition, version: string, client: Client): Promise<ObjectTrial> {
  const schema = crd.spec.versions?.find((v) => v.name === version)?.schema?.openAPIV3Schema ?? {}
  const trial = new Trial(crd, version, schema, client)
  await trial.minimal()
  await trial.unknownField()
  await trial.wrongType()
  await trial.notListed()
  return trial
}

class Trial implements ObjectTrial {
  readonly faults: string[] = []
  readonly notes: string[] = []
  good = 0
  readonly #crd: CustomResourceDefinition
  readonly #version: string
  readonly #schema: SchemaProps
  readonly #client: Client

  constructor(crd: CustomResourceDefinition, version: string, schema: SchemaProps, client: Client) {
    this.#crd = crd
    this.#version = version
    this.#schema = schema
    this.#client = client
  }

  async minimal(): Promise<void> {
    const made = await this.#create(this.#object())
    if (!(made instanceof StatusError)) this.good++
    else if (isGeneratorsFault(made)) this.notes.push(`no valid object made: ${made.message}`)
    else this.faults.push(`a valid object is refused: ${made.message}`)
  }

  async unknownField(): Promise<void> {
    if (preserves(this.#schema)) return
    const object = this.#object() as KubeObject & { bowspritUnknown?: string }
    object.bowspritUnknown = 'x'
    const strict = await this.#create(object, 'Strict')
    if (strict instanceof StatusError && strict.status.code === 400 && strict.message.includes('unknown field "bowspritUnknown"'))
      this.good++
    else this.faults.push(`an unknown field is not refused where strictness is asked for: ${textOf(strict)}`)
    const pruned = await this.#create(object)
    if (pruned instanceof StatusError) return
    if (Object.hasOwn(pruned, 'bowspritUnknown')) this.faults.push('an unknown field is not pruned')
    else this.good++
  }

  async wrongType(): Promise<void> {
    await this.#refusal('typed', { is: 'not of the type' }, /must be of type|Invalid value: "object"/)
  }

  async notListed(): Promise<void> {
    await this.#refusal('enum', 'bowsprit-not-listed', /Unsupported value: "bowsprit-not-listed"/)
  }

  async #refusal(searched: 'typed' | 'enum', value: JsonObject | string, wanted: RegExp): Promise<void> {
    const path = pathTo(searched, this.#schema)
    if (path === undefined) return
    const object = this.#object(path)
    putAt(object as unknown as JsonObject, path, value)
    const answer = await this.#create(object)
    if (answer instanceof StatusError && answer.status.code === 422 && wanted.test(answer.message)) this.good++
    else this.faults.push(`${searched} ${path.join('.')}: expected ${wanted}, got ${textOf(answer)}`)
  }

  #object(path: SamplePath = []): KubeObject {
    const { group, names } = this.#crd.spec
    const sample = cloneJson(sampleOf({ ...this.#schema, type: 'object' }, path)) as JsonObject
    return {
      ...sample,
      apiVersion: `${group}/${this.#version}`,
      kind: names.kind,
      metadata: { generateName: 'sample-' },
    } as KubeObject
  }

  async #create(object: KubeObject, fieldValidation: 'Strict' | 'Ignore' = 'Ignore'): Promise<Readonly<KubeObject> | StatusError> {
    const { group, names, scope } = this.#crd.spec
    const target: Target = {
      group,
      version: this.#version,
      resource: names.plural,
      ...(scope === 'Namespaced' && { namespace: 'default' }),
    }
    try {
      return await this.#client.create(target, object, { fieldValidation })
    } catch (error) {
      if (error instanceof StatusError) return error
      throw error
    }
  }
}

/** Rules, patterns and alternatives ask for more than the generator knows. */
function isGeneratorsFault(error: StatusError): boolean {
  const causes = error.status.details?.causes ?? []
  return error.status.code === 422 && causes.length > 0 && causes.every((c) => !/Unsupported value|must be of type/.test(c.message ?? ''))
}

const textOf = (answer: Readonly<KubeObject> | StatusError) => (answer instanceof StatusError ? answer.message : 'it was taken')
