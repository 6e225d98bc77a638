import { messageOf } from '../../base/message-of.ts'
import { createEnvironment, type Environment } from '../../machinery/cel/environment.ts'
import { KUBERNETES_LIBRARIES } from '../../machinery/cel/kubernetes/libraries.ts'
import { compile, type Program } from '../../machinery/cel/program.ts'
import { STRING } from '../../machinery/cel/types.ts'
import { CelMap, type Struct, type Value } from '../../machinery/cel/values.ts'
import { DEVICE } from '../../resources/resource/device-expressions.ts'
import type { Device, DeviceAttribute } from './device.ts'

/** A device as expressions see it. */
export interface DeviceFacts {
  readonly driver: string
  readonly device: Device
}

let environment: Environment | undefined
const env = () => {
  environment ??= createEnvironment(KUBERNETES_LIBRARIES)
  return environment
}

const MAX_PROGRAMS = 1000
const programs = new Map<string, Program>()

/** Whether an expression takes a device. @throws {Error} in Kubernetes' words when it fails at run time */
export function selects(expression: string, facts: DeviceFacts): boolean {
  let program = programs.get(expression)
  if (program === undefined) {
    program = compile(expression, { env: env(), variables: [{ name: 'device', type: DEVICE }] })
    if (programs.size >= MAX_PROGRAMS) programs.clear()
    programs.set(expression, program)
  }
  try {
    return program.run({ device: deviceValue(facts) }) === true
  } catch (error) {
    throw new Error(`CEL runtime error: ${messageOf(error)}`)
  }
}

const EMPTY = CelMap.of([])

/** Domains that a device says nothing of are there, with nothing in them. */
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
  const maker = makers.get(name) ?? compile(`${name}(text)`, { env: env(), variables: [{ name: 'text', type: STRING }] })
  makers.set(name, maker)
  return maker.run({ text })
}
