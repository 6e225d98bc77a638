import { LruMap } from '../../base/collections/lru-map.ts'
import { messageOf } from '../../base/message-of.ts'
import type { Steps } from '../../base/steps.ts'
import type { Meter } from '../../machinery/cel/plan/meter.ts'
import { compile, type Program } from '../../machinery/cel/program.ts'
import { STRING } from '../../machinery/cel/types.ts'
import { CelMap, type Struct, type Value } from '../../machinery/cel/values.ts'
import { DEVICE, deviceEnvironment } from '../../resources/resource/device-expressions.ts'
import type { Device, DeviceAttribute } from '../../resources/types/resource.ts'
import { DeviceAllocationError } from './allocation-error.ts'
import { type SearchBudget, stepsOfCelCost, stepsToCompile } from './search-budget.ts'

/** A device as expressions see it. */
export interface DeviceFacts {
  readonly driver: string
  readonly device: Device
}

/** What one evaluation of a selector may cost (Kubernetes' `CELSelectorExpressionMaxCost`). */
const MAX_CEL_COST = 1_000_000
/** Characters of all expressions that are kept compiled. A program takes some hundred bytes a character. */
const MAX_CHARACTERS = 512 * 1024
/** Results that are kept over all expressions and devices. */
const MAX_RESULTS = 500_000

/** Whether a device was selected, or why the expression failed. */
type Result = boolean | string

interface CompiledSelector {
  readonly program: Program
  /** A newer generation of a pool has new device objects, so results for the old ones are dropped with them. */
  results: WeakMap<Device, Result>
}

/** Selectors of devices, compiled once, with their results for as long as the devices are in the informer's cache. */
export class DeviceSelectors {
  readonly #compiled = new LruMap<string, CompiledSelector>(MAX_CHARACTERS)
  #results = 0;

  /**
   * Whether an expression selects a device. Only what was not evaluated before costs steps.
   * @throws {DeviceAllocationError} when the expression fails at run time
   */
  *selects(expression: string, { driver, device }: DeviceFacts, budget: SearchBudget): Steps<boolean> {
    const selector = this.#compiled.get(expression) ?? (yield* this.#compile(expression, budget))
    let result = selector.results.get(device)
    if (result === undefined) {
      const meter: Meter = { spent: 0, limit: MAX_CEL_COST }
      result = evaluate(selector.program, { driver, device }, meter)
      this.#keep(selector, device, result)
      if (budget.spend(stepsOfCelCost(meter.spent))) yield
    }
    if (typeof result === 'string') throw new DeviceAllocationError('selector', `CEL runtime error: ${result}`)
    return result
  }

  *#compile(expression: string, budget: SearchBudget): Steps<CompiledSelector> {
    const program = compile(expression, { env: deviceEnvironment(), variables: [{ name: 'device', type: DEVICE }] })
    const selector = { program, results: new WeakMap<Device, Result>() }
    this.#compiled.set(expression, selector, expression.length)
    if (budget.spend(stepsToCompile(expression))) yield
    return selector
  }

  #keep(selector: CompiledSelector, device: Device, result: Result): void {
    if (++this.#results > MAX_RESULTS) {
      for (const other of this.#compiled.values()) other.results = new WeakMap()
      this.#results = 1
    }
    selector.results.set(device, result)
  }
}

function evaluate(program: Program, facts: DeviceFacts, meter: Meter): Result {
  try {
    return program.run({ device: deviceValue(facts) }, meter) === true
  } catch (error) {
    return messageOf(error)
  }
}

const EMPTY = CelMap.of([])

/** A domain without attributes is an empty map. */
class Domains extends CelMap {
  override get(key: Value): Value | undefined {
    return super.get(key) ?? EMPTY
  }
}

function deviceValue({ driver, device }: DeviceFacts): Struct {
  const fields: Readonly<Record<string, () => Value>> = {
    driver: () => driver,
    allowMultipleAllocations: () => device.allowMultipleAllocations === true,
    attributes: () => byDomain(driver, device.attributes ?? {}, attributeValue),
    capacity: () => byDomain(driver, device.capacity ?? {}, ({ value }) => called('quantity', String(value))),
  }
  const self: Struct = {
    structType: 'kubernetes.DRADevice',
    get: (field) => fields[field]?.(),
    names: () => Object.keys(fields),
    equalsStruct: (other) => other === self,
  }
  return self
}

/** `domain/name` apart; a name without a domain is the driver's own. */
function byDomain<T>(driver: string, entries: Readonly<Record<string, T>>, convert: (entry: T) => Value | undefined): CelMap {
  const domains = new Map<string, CelMap>()
  for (const [key, entry] of Object.entries(entries)) {
    const [domain, name] = key.includes('/') ? [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)] : [driver, key]
    const value = convert(entry)
    if (value === undefined) continue
    const own = domains.get(domain) ?? CelMap.of([])
    own.put(name, value)
    domains.set(domain, own)
  }
  const all = new Domains()
  for (const [domain, map] of domains) all.put(domain, map)
  return all
}

function attributeValue({ int, bool, string, version }: DeviceAttribute): Value | undefined {
  if (int !== undefined) return BigInt(int)
  if (bool !== undefined) return bool
  if (string !== undefined) return string
  return version === undefined ? undefined : called('semver', version)
}

const makers = new Map<string, Program>()

/** The value that a library's own function makes of a text. */
function called(name: 'quantity' | 'semver', text: string): Value {
  const maker = makers.get(name) ?? compile(`${name}(text)`, { env: deviceEnvironment(), variables: [{ name: 'text', type: STRING }] })
  makers.set(name, maker)
  return maker.run({ text })
}
