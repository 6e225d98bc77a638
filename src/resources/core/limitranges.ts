import { child, duplicateNamed, type FieldError, forbidden, invalid, invalidNamed, key, required } from '../../machinery/field-error.ts'
import { qualifiedName } from '../../machinery/names.ts'
import { setOwn } from '../../machinery/object.ts'
import type { Quantity } from '../../machinery/quantity.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { each } from '../checks.ts'
import { CREATED_AT, define, NAME } from '../define.ts'
import { roundResources } from '../pod/defaults.ts'
import { isOvercommitAllowed } from '../pod/resource-names.ts'
import { validateContainerResourceName, validateResourceName } from '../pod/validation/validate-resources.ts'
import type * as core from '../types/core.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'
import { quantityOf } from './quota-resources.ts'

type LimitRange = UncheckedObject<core.LimitRange>
type Amounts = Record<string, string>

type LimitItem = Unchecked<core.LimitRangeItem>

export const limitRanges = define<LimitRange>({
  group: '',
  kind: 'LimitRange',
  plural: 'limitranges',
  singular: 'limitrange',
  metadataChecks: 'whole',
  shortNames: ['limits'],
  columns: [NAME, CREATED_AT],
  rules: {
    allowCreateOnUpdate: true,
    defaults: (draft) => {
      for (const limit of draft.spec?.limits ?? []) if (limit) defaultLimit(limit)
    },
    // The name is optional.
    prepareForCreate: (draft, context) => {
      draft.metadata.name ||= context.random.uuid()
    },
    validateCreate: validate,
    validateUpdate: validate,
  },
})

const LISTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const

function defaultLimit(limit: LimitItem): void {
  // What is filled in from them is rounded then.
  for (const name of LISTS) roundResources(limit[name])
  if (limit.type === 'Container') {
    fill(limit, 'default', limit.max)
    fill(limit, 'defaultRequest', limit.default)
    fill(limit, 'defaultRequest', limit.min)
  }
}

function fill(limit: LimitItem, list: 'default' | 'defaultRequest', from: Amounts | undefined): void {
  for (const name in from) {
    limit[list] ??= {}
    if (!Object.hasOwn(limit[list], name)) setOwn(limit[list], name, from[name] ?? '')
  }
}

function validate(object: LimitRange): FieldError[] {
  const types = new Set<string>()
  return each<LimitItem>(object.spec?.limits, child('spec', 'limits'), (limit, path) => {
    const type = limit.type ?? ''
    const faults = validateType(type, child(path, 'type'))
    if (types.has(type)) faults.push(duplicateNamed(child(path, 'type'), type))
    types.add(type)
    const validateNames = (list: (typeof LISTS)[number]) =>
      faults.push(...faultsOfEach(Object.keys(limit[list] ?? {}), (name) => validateName(type, name, key(child(path, list), name))))
    validateNames('max')
    validateNames('min')
    for (const list of ['default', 'defaultRequest'] as const)
      if (type !== 'Pod') validateNames(list)
      else if (Object.keys(limit[list] ?? {}).length > 0)
        faults.push(forbidden(child(path, list), "may not be specified when `type` is 'Pod'"))
    if (type === 'PersistentVolumeClaim' && limit.min?.storage === undefined && limit.max?.storage === undefined)
      faults.push(required(child(path, 'limits'), 'either minimum or maximum storage value is required, but neither was provided'))
    validateNames('maxLimitRequestRatio')
    const names = new Set(LISTS.flatMap((list) => (type === 'Pod' && list.startsWith('default') ? [] : Object.keys(limit[list] ?? {}))))
    return [...faults, ...faultsOfEach(names, (name) => validateAmounts(limit, name, path))]
  })
}

function validateType(type: string, path: string): FieldError[] {
  const faults = qualifiedName(type).map((text) => invalidNamed(path, type, text))
  if (faults.length > 0 || type.includes('/') || ['Pod', 'Container', 'PersistentVolumeClaim'].includes(type)) return faults
  return [invalidNamed(path, type, 'must be a standard limit type or fully qualified')]
}

const validateName = (type: string, name: string, path: string): readonly FieldError[] =>
  type === 'Pod' || type === 'Container' ? validateContainerResourceName(name, path) : validateResourceName(name, path)

function validateAmounts(limit: LimitItem, name: string, path: string): FieldError[] {
  const textOf = (list: (typeof LISTS)[number]) => (limit.type === 'Pod' && list.startsWith('default') ? undefined : limit[list]?.[name])
  const texts = LISTS.map(textOf)
  if (!mayDisagree(texts)) return []
  const at = (list: string) => key(child(path, list), name)
  const [max, min, def, request, ratio] = texts.map((text) => (text === undefined ? undefined : quantityOf(text)))
  const faults: FieldError[] = []
  const above = (a: Quantity | undefined, b: Quantity | undefined): boolean => a !== undefined && b !== undefined && a.compare(b) > 0
  const say = (list: string, shown: Quantity | undefined, text: string) => faults.push(invalid(at(list), `${shown}`, text))
  if (above(min, max)) say('min', min, `min value ${min} is greater than max value ${max}`)
  if (above(min, request)) say('defaultRequest', request, `min value ${min} is greater than default request value ${request}`)
  if (above(request, max)) say('defaultRequest', request, `default request value ${request} is greater than max value ${max}`)
  if (above(request, def)) say('defaultRequest', request, `default request value ${request} is greater than default limit value ${def}`)
  if (above(min, def)) say('default', min, `min value ${min} is greater than default value ${def}`)
  if (above(def, max)) say('default', max, `default value ${def} is greater than max value ${max}`)
  if (ratio && ratio.compare(quantityOf('1')) < 0) say('maxLimitRequestRatio', ratio, `ratio ${ratio} is less than 1`)
  if (ratio && min && max) {
    const most = ratioOf(max, min, ratio)
    if (most.requested > most.limit)
      say(
        'maxLimitRequestRatio',
        ratio,
        `ratio ${ratio} is greater than max/min = ${Number.isFinite(most.limit) ? most.limit.toFixed(6) : '+Inf'}`,
      )
  }
  if (!isOvercommitAllowed(name) && def && request && def.compare(request) !== 0)
    say('defaultRequest', request, `default value ${def} must equal to defaultRequest value ${request} in ${name}`)
  return faults
}

/** Fast path: a name in one list alone, or with one amount in all of them, has no fault but that of a ratio. */
const mayDisagree = ([max, min, def, request, ratio]: readonly (string | undefined)[]): boolean =>
  ratio !== undefined || new Set([max, min, def, request].filter((text) => text !== undefined)).size > 1

/** The largest integer whose thousandths fit into an int64. */
const MAX_MILLI = Number(0x7fffffffffffffffn / 1000n)

const MAX_INT64 = quantityOf(String(0x7fffffffffffffffn))

/** In Go, what does not fit into an int64 is 0. */
const orZero = (amount: Quantity, value: number) => (amount.compare(MAX_INT64) > 0 ? 0 : value)

function ratioOf(max: Quantity, min: Quantity, ratio: Quantity): { requested: number; limit: number } {
  const value = (amount: Quantity) => orZero(amount, amount.value())
  const milli = (amount: Quantity) => orZero(amount, amount.milliValue())
  if ([max, min, ratio].every((amount) => value(amount) < MAX_MILLI))
    return { requested: milli(ratio) / 1000, limit: milli(max) / milli(min) }
  return { requested: value(ratio), limit: value(max) / value(min) }
}
