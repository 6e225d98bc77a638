import { type FieldError, index, invalid, notSupported, required } from '../machinery/field-error.ts'
import { cidrContains, parseCidr, parseIp } from '../machinery/ip-address.ts'
import { cidr, ipAddress, portNumber, qualifiedName } from '../machinery/names.ts'

/** One `Invalid value` fault a text. */
export const invalidEach = (field: string, value: unknown, texts: readonly string[]): FieldError[] =>
  texts.map((t) => invalid(field, value, t))

/** Runs a check on every item, each with its path. */
export function each<T>(
  items: readonly T[] | undefined | null,
  path: string,
  check: (item: T, path: string, i: number) => readonly FieldError[],
): FieldError[] {
  return (items ?? []).flatMap((item, i) => check(item, index(path, i), i))
}

export const validatePort = (port: number | undefined, path: string): FieldError[] => invalidEach(path, port ?? 0, portNumber(port ?? 0))
export const validateQualifiedName = (value: string, path: string): FieldError[] => invalidEach(path, value, qualifiedName(value))
export const validateNonNegative = (value: number | bigint | undefined, path: string): FieldError[] =>
  value !== undefined && value < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : []

/** A text that must be one of a few; an empty one is missing. */
export function validateOneOf(value: string | undefined, supported: readonly string[], path: string): FieldError[] {
  if (!value) return [required(path)]
  return supported.includes(value) ? [] : [notSupported(path, value, supported)]
}

export const validateIp = (value: string, path: string): FieldError[] => invalidEach(path, value, ipAddress(value))
export const validateCidr = (value: string, path: string): FieldError[] => invalidEach(path, value, cidr(value))

const SPECIAL_RANGES: readonly (readonly [cidrs: readonly string[], text: string])[] = [
  [['0.0.0.0/32', '::/128'], 'may not be unspecified (0.0.0.0 or ::)'],
  [['127.0.0.0/8', '::1/128'], 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  [['169.254.0.0/16', 'fe80::/10'], 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  [
    ['224.0.0.0/24', 'ff02::/16', 'ff12::/16', 'ff22::/16', 'ff32::/16'],
    'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
  ],
]

/** Addresses that traffic cannot be sent to. Says so of a text that is no address, too. */
export function validateOrdinaryIp(value: string, path: string): FieldError[] {
  const ip = parseIp(value)
  if (!ip) return [invalid(path, value, 'must be a valid IP address')]
  return SPECIAL_RANGES.flatMap(([cidrs, text]) => {
    const inside = cidrs.some((c) => {
      const range = parseCidr(c)
      return range !== undefined && cidrContains(range, ip)
    })
    return inside ? [invalid(path, value, text)] : []
  })
}

/** `port` or `targetPort`: a number, or the name of a container's port. */
export function validatePortOrName(value: unknown, path: string, named: (text: string) => readonly string[]): FieldError[] {
  if (typeof value === 'string') return invalidEach(path, value, named(value))
  return validatePort(typeof value === 'number' ? value : 0, path)
}
