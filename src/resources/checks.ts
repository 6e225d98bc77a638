import { once } from '../base/once.ts'
import { type FieldError, index, invalid } from '../machinery/field-error.ts'
import { cidrContains, parseCidr, parseIp } from '../machinery/ip-address.ts'
import { cidr, ipAddress, portNumber, qualifiedName } from '../machinery/names.ts'
import { faultsOfEach } from '../machinery/validation/faults-of-each.ts'

/** One `Invalid value` fault for each text. */
export const invalidEach = (field: string, value: unknown, texts: readonly string[]): FieldError[] =>
  texts.map((t) => invalid(field, value, t))

/** The faults of a list's items; the check gets the path of each item. */
export const each = <T>(
  items: readonly T[] | undefined | null,
  path: string,
  check: (item: T, path: string, i: number) => readonly FieldError[],
): FieldError[] => faultsOfEach(items, (item, i) => check(item, index(path, i), i))

/** Returns a function that is true for items it was called with before. Constant time per item. */
export function repeats(): (item: unknown) => boolean {
  const seen = new Set<unknown>()
  return (item) => {
    const before = seen.size
    // One look into a set of some hundred thousand, not two.
    return seen.add(item).size === before
  }
}

export const validatePort = (port: number | undefined, path: string): FieldError[] => invalidEach(path, port ?? 0, portNumber(port ?? 0))
export const validateQualifiedName = (value: string, path: string): FieldError[] => invalidEach(path, value, qualifiedName(value))
export const validateNonNegative = (value: number | bigint | undefined, path: string): FieldError[] =>
  value !== undefined && value < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : []

/** Values that the old object has in the same field (or list) are accepted although the rules have become stricter. */
export const validateIp = (value: string, path: string, accepted?: ReadonlySet<string>): FieldError[] =>
  accepted?.has(value) ? [] : invalidEach(path, value, ipAddress(value))
export const validateCidr = (value: string, path: string, accepted?: ReadonlySet<string>): FieldError[] =>
  accepted?.has(value) ? [] : invalidEach(path, value, cidr(value))

const SPECIAL_RANGES: readonly (readonly [cidrs: readonly string[], text: string])[] = [
  [['0.0.0.0/32'], 'may not be unspecified (0.0.0.0)'],
  [['::/128'], 'may not be unspecified (::)'],
  [['127.0.0.0/8', '::1/128'], 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  [['169.254.0.0/16', 'fe80::/10'], 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  [
    ['224.0.0.0/24', 'ff02::/16', 'ff12::/16', 'ff22::/16', 'ff32::/16'],
    'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
  ],
]

const specialRanges = once(() => SPECIAL_RANGES.map(([cidrs, text]) => [cidrs.flatMap((c) => parseCidr(c) ?? []), text] as const))

/** Faults of addresses that traffic cannot be sent to, and of invalid addresses. */
export function validateOrdinaryIp(value: string, path: string): FieldError[] {
  const ip = parseIp(value)
  if (!ip) return [invalid(path, value, 'must be a valid IP address')]
  // Fast path: of a hundred thousand addresses nearly all are in none of the ranges.
  const faults: FieldError[] = []
  for (const [ranges, text] of specialRanges()) if (ranges.some((range) => cidrContains(range, ip))) faults.push(invalid(path, value, text))
  return faults
}

/** `port` or `targetPort`: a number, or the name of a container's port. */
export function validatePortOrName(value: unknown, path: string, named: (text: string) => readonly string[]): FieldError[] {
  if (typeof value === 'string') return invalidEach(path, value, named(value))
  return validatePort(typeof value === 'number' ? value : 0, path)
}
