import { goQuote } from '../field-error.ts'
import { parseDuration } from '../go/go-duration.ts'
import { TimeError } from '../go/time-error.ts'
import { type IpAddress, ipText, parseIp } from '../ip-address.ts'
import { csvFields } from './csv.ts'
import { type Flag, type FlagEffect, FlagValueError } from './flag.ts'

/** Properties of a flag besides its type and default; the default effect is `followed`. */
export interface FlagInit {
  readonly help?: string
  readonly effect?: FlagEffect
  readonly deprecated?: string
}

/** Accepted without effect: no client can observe it. */
export const harmless: FlagInit = { effect: { kind: 'harmless' } }
/** Rejected if its value differs from the default. */
export const refused = (reason: string): FlagInit => ({ effect: { kind: 'refused', reason } })

const rest = ({ help = '', effect = { kind: 'followed' }, deprecated }: FlagInit) => ({
  help,
  effect,
  ...(deprecated !== undefined && { deprecated }),
})

/** A string. */
export const text = (initial = '', init: FlagInit = {}): Flag<string> => ({
  type: 'string',
  initial,
  ...rest(init),
  take: (given) => given,
})

/** `pattern=N,pattern=N`, as for logs. */
export const levels = (init: FlagInit = {}): Flag<string> => ({
  type: 'pattern=N,...',
  initial: '',
  ...rest(init),
  take(given) {
    for (const pair of given.split(',')) {
      if (pair === '') continue
      const [pattern = '', number, more] = pair.split('=')
      if (pattern === '' || number === undefined || more !== undefined)
        throw new FlagValueError(`${goQuote(pair)} does not have the pattern=N format`)
      if (!/^\d+$/.test(number))
        throw new FlagValueError(`parsing verbosity in ${goQuote(pair)}: strconv.ParseUint: parsing ${goQuote(number)}: invalid syntax`)
    }
    return given
  },
})

const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])

/** Go's `strconv.ParseBool`. */
export function parseBool(given: string): boolean {
  if (TRUE.has(given)) return true
  if (FALSE.has(given)) return false
  throw new FlagValueError(`strconv.ParseBool: parsing ${goQuote(given)}: invalid syntax`)
}

/** True or false; the bare flag is true. */
export const bool = (initial: boolean, init: FlagInit = {}): Flag<boolean> => ({
  type: '',
  initial,
  bare: 'true',
  ...rest(init),
  take: parseBool,
})

const parseInteger = (given: string, by: 'ParseInt' | 'ParseUint'): number => {
  const m = /^([+-]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9]\d*))$/.exec(given)
  const [, sign = '', hex, binary, octal, decimal] = m ?? []
  if (m === null || (by === 'ParseUint' && sign !== ''))
    throw new FlagValueError(`strconv.${by}: parsing ${goQuote(given)}: invalid syntax`)
  const digits = hex ?? binary ?? octal ?? decimal ?? ''
  const base = hex !== undefined ? 16 : binary !== undefined ? 2 : octal !== undefined ? 8 : 10
  const value = Number.parseInt(digits, base)
  if (!Number.isSafeInteger(value)) throw new FlagValueError(`strconv.${by}: parsing ${goQuote(given)}: value out of range`)
  return sign === '-' ? -value : value
}

/** An integer. */
export const int = (initial: number, init: FlagInit = {}): Flag<number> => ({
  type: 'int',
  initial,
  ...rest(init),
  take: (given) => parseInteger(given, 'ParseInt'),
})

/** A non-negative integer, such as a log level. */
export const level = (initial: number, short: string, init: FlagInit = {}): Flag<number> => ({
  type: 'Level',
  initial,
  short,
  ...rest(init),
  take: (given) => parseInteger(given, 'ParseUint'),
})

/** A floating-point number. */
export const float = (initial: number, init: FlagInit = {}): Flag<number> => ({
  type: 'float',
  initial,
  ...rest(init),
  take(given) {
    if (!/^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(given))
      throw new FlagValueError(`strconv.ParseFloat: parsing ${goQuote(given)}: invalid syntax`)
    return Number(given)
  },
})

/** A duration in Go's notation (`1m30s`); the value is in milliseconds. */
export const duration = (initialMs: number, init: FlagInit = {}): Flag<number> => ({
  type: 'duration',
  initial: initialMs,
  ...rest(init),
  take(given) {
    try {
      return Number(parseDuration(given)) / 1e6
    } catch (error) {
      if (error instanceof TimeError) throw new FlagValueError(error.message)
      throw error
    }
  },
})

/** A comma-separated list with CSV's quotes; the first occurrence replaces the default, further ones are appended. */
export const strings = (initial: readonly string[] = [], init: FlagInit = {}): Flag<readonly string[]> => ({
  type: 'strings',
  initial,
  ...rest(init),
  take: (given, before) => [...(before ?? []), ...(given === '' ? [] : csvFields(given))],
})

/** One string per flag; commas are literal. */
export const stringArray = (init: FlagInit = {}): Flag<readonly string[]> => ({
  type: 'stringArray',
  initial: [],
  ...rest(init),
  take: (given, before) => [...(before ?? []), given],
})

/** `key=value,key=value`; a later key wins. Spaces around both are removed. `bare`: a key may lack a value, which is then empty. */
export const keyValues = (init: FlagInit = {}, { bare = false } = {}): Flag<ReadonlyMap<string, string>> => ({
  type: 'mapStringString',
  initial: new Map(),
  ...rest(init),
  take(given, before) {
    const map = new Map(before ?? [])
    for (const pair of given.split(',')) {
      if (pair === '') continue
      const at = pair.indexOf('=')
      if (at < 0 && !bare) throw new FlagValueError('malformed pair, expect string=string')
      if (at < 0) map.set(pair.trim(), '')
      else map.set(pair.slice(0, at).trim(), pair.slice(at + 1).trim())
    }
    return map
  },
})

export interface ComponentKeyValue {
  readonly component: string
  readonly name: string
  /** Undefined if the key has no value. */
  readonly value: string | undefined
}

/** `component:key=value,…`; a key without a component belongs to kube. The pairs keep their order. */
export const componentKeyValues = (init: FlagInit = {}): Flag<readonly ComponentKeyValue[]> => ({
  type: 'colonSeparatedMultimapStringString',
  initial: [],
  ...rest(init),
  take(given, before) {
    const found = [...(before ?? [])]
    for (const pair of given.split(',')) {
      if (pair === '') continue
      const at = pair.indexOf('=')
      const key = (at < 0 ? pair : pair.slice(0, at)).trim()
      const colon = key.indexOf(':')
      found.push({
        component: colon < 0 ? 'kube' : key.slice(0, colon),
        name: key.slice(colon + 1),
        value: at < 0 ? undefined : pair.slice(at + 1).trim(),
      })
    }
    return found
  },
})

/** An address; undefined when empty. */
export const ip = (initial: string | undefined, init: FlagInit = {}): Flag<IpAddress | undefined> => ({
  type: 'ip',
  initial: initial === undefined ? undefined : parseIp(initial),
  ...rest(init),
  take(given) {
    if (given === '') return undefined
    const found = parseIp(given.trim())
    if (found === undefined || ipText(found) === '') throw new FlagValueError(`failed to parse IP: ${goQuote(given)}`)
    return found
  },
})

/** The first and last port of a range. */
export interface PortRange {
  readonly first: number
  readonly last: number
}

/** `30000-32767`, `30000+2767` or one port. */
export const portRange = (initial: PortRange, init: FlagInit = {}): Flag<PortRange> => ({
  type: 'portRange',
  initial,
  ...rest(init),
  take(given) {
    const m = /^(\d+)(?:([-+])(\d+))?$/.exec(given.trim())
    if (given.trim() === '') return { first: 0, last: -1 }
    if (m === null) throw new FlagValueError(`strconv.Atoi: parsing ${goQuote(given)}: invalid syntax`)
    const first = Number(m[1])
    const last = m[3] === undefined ? first : m[2] === '-' ? Number(m[3]) : first + Number(m[3])
    if (first > 65_535 || last > 65_535) throw new FlagValueError(`the port range cannot be greater than 65535: ${given}`)
    if (last < first) throw new FlagValueError(`end port cannot be less than start port: ${given}`)
    return { first, last }
  },
})

/** A certificate, its key, and the server names that select it (empty: those in the certificate). */
export interface NamedCertificateFiles {
  readonly names: readonly string[]
  readonly certFile: string
  readonly keyFile: string
}

/** `cert,key` or `cert,key:name,name`; one per flag. */
export const namedCertificates = (init: FlagInit = {}): Flag<readonly NamedCertificateFiles[]> => ({
  type: 'namedCertKey',
  initial: [],
  ...rest(init),
  take(given, before) {
    const [files = '', names] = given.split(':', 2)
    const parts = files.split(',')
    const [certFile = '', keyFile = ''] = parts.map((p) => p.trim())
    if (parts.length !== 2) throw new FlagValueError('expected comma separated certificate and key file paths')
    const wanted = names === undefined ? [] : names.split(',').map((n) => n.trim())
    if (certFile === '' || keyFile === '') throw new FlagValueError('missing certificate or key file path')
    if (wanted.includes('')) throw new FlagValueError('empty domain name')
    return [...(before ?? []), { certFile, keyFile, names: wanted }]
  },
})
