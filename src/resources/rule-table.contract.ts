import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { atOnce } from '../base/steps.ts'
import { equalJson } from '../machinery/equal.ts'
import { type FieldError, faultText } from '../machinery/field-error.ts'
import { apiVersionOf, asJson, asKubeObject, cloneJson, copyOwn, type KubeObject } from '../machinery/object.ts'
import { applyDefaultsAtOnce } from '../machinery/resource/apply-defaults.ts'
import type { ResourceDefinition, ResourceRules, RulesContext } from '../machinery/resource/definition.ts'
import { rulesContext } from '../machinery/resource/rules-context.double.ts'
import { decodeObject } from '../machinery/schema/decode.ts'
import { validateObjectMeta, validateUpdatedMeta } from '../machinery/validation/object-meta.ts'
import { nameRule } from '../machinery/validation/object-name.ts'
import { decodeYaml } from '../machinery/yaml/yaml.ts'
import { additions, changed, differences, flow } from './rule-changes.ts'

/**
 * A change of the table's object and its outcome: faults (`spec.a: Required value`) or, if there are none, warnings (`warning: TEXT`) and
 * the fields that the server fills in beyond those of the object itself (`spec.a = 1`, `-spec.a`). `…` stands for any part of a line. The
 * notation of changes is in `rule-changes.ts`.
 */
export type RuleRow = readonly [change: string, ...outcome: string[]]

/** The rules of a kind as tables: one test a row. */
export interface RuleTables {
  /** A valid object, in YAML. Its namespace is `default` if the kind is namespaced. */
  readonly object: string
  /** The fields that the server fills in on create. */
  readonly filled?: readonly string[]
  /** The feature gates that are on although they are off by default. */
  readonly gates?: readonly string[]
  /** Changes to the object before it is created. */
  readonly create?: readonly RuleRow[]
  /** Updates: the object with a change replaces the stored one; `A -> B` stores it with the change A. */
  readonly update?: readonly RuleRow[]
  /** Updates through the status subresource. */
  readonly status?: readonly RuleRow[]
  /** The same by a subresource that writes a part of the object, by its name. */
  readonly parts?: Readonly<Record<string, readonly RuleRow[]>>
}

/** Registers one test for each row. */
export function ruleTables(definition: ResourceDefinition, tables: RuleTables): void {
  const rules = new RuleTrial(definition, tables.object, tables.gates)
  describe(`rules of ${definition.names.plural}`, () => {
    if (tables.filled) test('the server fills in', () => assert.deepEqual(abridged(rules.filled(), tables.filled ?? []), tables.filled))
    test('defaults replace no value that is given', () =>
      assert.deepEqual(rules.replaced(['', ...(tables.create ?? []).map(([c]) => c)]), []))
    for (const way of ['create', 'update', 'status'] as const) {
      for (const [change, ...outcome] of tables[way] ?? [])
        test(`${way}: ${change}`, () => assert.deepEqual(abridged(rules[way](change), outcome), outcome))
    }
    for (const [name, rows] of Object.entries(tables.parts ?? {}))
      for (const [change, ...outcome] of rows)
        test(`${name}: ${change}`, () => assert.deepEqual(abridged(rules.part(name, change), outcome), outcome))
  })
}

/** The definition of that plural name in a group's list. */
export function definitionOf(resources: readonly ResourceDefinition[], plural: string): ResourceDefinition {
  const definition = resources.find((d) => d.names.plural === plural)
  assert.ok(definition, `${plural} is in the group`)
  return definition
}

/** Runs the rules of a kind on changes of one object, as the server's store does. */
export class RuleTrial {
  readonly #definition: ResourceDefinition
  readonly #context: RulesContext
  readonly #object: KubeObject
  readonly #created: KubeObject
  /** What preparing the object has warned of. */
  #warned: string[] = []

  constructor(definition: ResourceDefinition, object: string | KubeObject, gates: readonly string[] = []) {
    this.#definition = definition
    const given = typeof object === 'string' ? asKubeObject(decodeYaml(object).value) : object
    const { group, storageVersion, names } = definition
    const apiVersion = apiVersionOf({ group, version: storageVersion })
    this.#context = rulesContext({
      now: Date.parse('2026-01-01T00:00:00Z'),
      apiVersion,
      gates: new Set(gates),
      warn: (text) => void this.#warned.push(text),
    })
    this.#object = { ...given, apiVersion, kind: names.kind }
    if (definition.scope === 'Namespaced') this.#object.metadata = { namespace: 'default', ...this.#object.metadata }
    this.#created = this.#prepared(this.#decoded(this.#object))
  }

  filled(): string[] {
    return differences(this.#object, this.#created)
  }

  create(change: string): string[] {
    const given = changed(this.#object, change)
    this.#warned = []
    const object = this.#prepared(this.#decoded(given))
    const { rules, scope } = this.#definition
    const own = rules.validateCreate?.(object, this.#context) ?? []
    const skipped = rules.metadataLast === true && own.length > 0
    const meta = validateObjectMeta(object.metadata, { namespaced: scope === 'Namespaced', validateName: nameRule(rules, object) })
    const faults = [...(skipped ? [] : meta), ...own, ...this.#inSteps(rules, object)]
    return outcome(faults, [...this.#warned, ...(rules.warnings?.(object, undefined, this.#context) ?? [])], () =>
      differences(changed(this.#created, change), canonical(rules, object)),
    )
  }

  /** The fields with a default, of the object with each of the changes, whose default replaces another value that a client gives. */
  replaced(changes: readonly string[]): string[] {
    const seen = new Set<string>()
    return changes.flatMap((change) => {
      const given = changed(this.#object, change)
      return additions(given, this.#decoded(given)).flatMap(([path, value]) => {
        if (seen.has(path) || COPIES.some((copy) => copy.test(path))) return []
        seen.add(path)
        const another = `${path} = ${flow(otherThan(value))}`
        const decoded = this.#decoded(changed(given, another))
        return equalJson(changed(decoded, another), decoded) ? [] : [path]
      })
    })
  }

  update(change: string): string[] {
    return this.#write(change, this.#definition.rules, (field) => this.#statusFields.includes(field))
  }

  status(change: string): string[] {
    const subresource = this.#definition.subresources?.status
    const rules = { ...this.#definition.rules, ...(subresource?.kind === 'status' ? subresource.rules : {}) }
    return this.#write(change, rules, (field) => field !== 'metadata' && !this.#statusFields.includes(field))
  }

  part(name: string, change: string): string[] {
    const subresource = this.#definition.subresources?.[name]
    assert.ok(subresource?.kind === 'part', `${name} writes a part`)
    return this.#write(change, { ...this.#definition.rules, ...subresource.rules }, () => false)
  }

  get #statusFields(): readonly string[] {
    const { rules, subresources } = this.#definition
    return rules.statusFields ?? (subresources?.status ? ['status'] : [])
  }

  /** `isKept`: the fields that a write by this path does not change. */
  #write(change: string, rules: ResourceRules, isKept: (field: string) => boolean): string[] {
    const [before = '', after = ''] = change.includes(' -> ') ? change.split(' -> ', 2) : ['', change]
    const given = changed(this.#object, before)
    const old = this.#stored(given)
    for (const object of [given, old])
      Object.assign(object.metadata, { uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' })
    const object = this.#decoded(changed(given, after))
    for (const field of new Set([...Object.keys(object), ...Object.keys(old)].filter(isKept))) copyOwn(object, old, field)
    this.#warned = []
    rules.prepareForUpdate?.(object, old, this.#context)
    const meta = validateUpdatedMeta(object.metadata, old.metadata, {
      namespaced: this.#definition.scope === 'Namespaced',
      validateName: nameRule(rules, object),
      again: rules.metadataChecks ?? 'not',
      finalizers: () => [],
    })
    const faults = [...meta, ...(rules.validateUpdate?.(object, old, this.#context) ?? []), ...this.#inSteps(rules, object, old)]
    return outcome(faults, [...this.#warned, ...(rules.warnings?.(object, old, this.#context) ?? [])], () =>
      differences(old, this.#asRead(canonical(rules, object))),
    )
  }

  #decoded(given: KubeObject): KubeObject {
    const { versions, storageVersion, rules } = this.#definition
    const version = versions.find((v) => v.version === storageVersion)
    assert.ok(version, `${this.#definition.names.plural} has its storage version`)
    const draft = asKubeObject(decodeObject(version.schema(), asJson(cloneJson(given))).object)
    applyDefaultsAtOnce(rules, draft)
    return draft
  }

  /** What a create left, as it is read, with the status that was written to it since. */
  #stored(given: KubeObject): KubeObject {
    const decoded = this.#decoded(given)
    const { status } = this.#definition.subresources ?? {}
    const old = this.#prepared(this.#decoded(given))
    if (status !== undefined && Object.hasOwn(given, 'status')) copyOwn(old, decoded, 'status')
    return this.#asRead(old)
  }

  #asRead(object: KubeObject): KubeObject {
    this.#definition.readBack?.(object)
    return object
  }

  #prepared(draft: KubeObject): KubeObject {
    this.#definition.rules.prepareForCreate?.(draft, this.#context)
    return draft
  }

  #inSteps(rules: ResourceRules, object: KubeObject, old?: KubeObject): readonly FieldError[] {
    return rules.validateInSteps === undefined ? [] : atOnce(rules.validateInSteps(object, old, this.#context))
  }
}

function canonical(rules: ResourceRules, object: KubeObject): KubeObject {
  rules.canonicalize?.(object)
  return object
}

/** Fields that always repeat another one, or what the object is. */
const COPIES = [
  /(^|\.)spec\.serviceAccount$/,
  /^metadata\.labels\[kubernetes\.io\/metadata\.name\]$/,
  /^spec\.volumeClaimTemplates\[\d+\]\.(apiVersion|kind)$/,
  /^spec\.podCIDRs\[0\]$/,
  // Secrets: of `stringData`.
  /^data\./,
]

/** Another value of the same type. */
function otherThan(value: unknown): unknown {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return value > 1 ? value - 1 : value + 1
  // Quantities and percentages stay such, and so does base64.
  return /^[-.\d]/.test(String(value)) ? String(value).replace(/\d+/, (n) => String(Number(n) + 1)) : `xxxx${value}`
}

/** The lines, with `…` for the text that an expected line leaves out. */
const abridged = (lines: readonly string[], expected: readonly string[]): string[] =>
  lines.map((line, i) => {
    const [start = '', end] = expected[i]?.split('…') ?? []
    return end !== undefined && line.startsWith(start) && line.endsWith(end) ? `${start}…${end}` : line
  })

function outcome(faults: readonly FieldError[], warnings: readonly string[], filled: () => readonly string[]): string[] {
  if (faults.length > 0) return faults.map(faultText)
  return [...warnings.map((text) => `warning: ${text}`), ...filled()]
}
