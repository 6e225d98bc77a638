import type { Library } from '../environment.ts'
import { member, overload } from '../standard/declare.ts'
import { BOOL, INT, STRING, structure } from '../types.ts'
import { CelError, type Opaque, type Value } from '../values.ts'

const MAX_UINT64 = 2n ** 64n - 1n
const SEMVER = structure('kubernetes.Semver')

class SemverValue implements Opaque {
  readonly celType = 'kubernetes.Semver'
  readonly numbers: readonly [bigint, bigint, bigint]
  readonly pre: readonly string[]
  readonly build: string
  constructor(numbers: readonly [bigint, bigint, bigint], pre: readonly string[], build: string) {
    this.numbers = numbers
    this.pre = pre
    this.build = build
  }
  equals(other: Value): boolean {
    return other instanceof SemverValue && compare(this, other) === 0
  }
  toString(): string {
    return `${this.numbers.join('.')}${this.pre.length === 0 ? '' : `-${this.pre.join('.')}`}${this.build === '' ? '' : `+${this.build}`}`
  }
}

/** Semantic Versioning 2.0.0; `normalize` also accepts a leading `v`, missing numbers and leading zeros. */
function parse(text: string, normalize = false): SemverValue {
  const [major, minor, last] = splitIn3(normalize ? normalized(text) : text)
  if (major === '' && minor === undefined) throw new CelError('Version string empty')
  if (minor === undefined || last === undefined) throw new CelError('No Major.Minor.Patch elements found')
  const numbers = [numberOf('Major', major), numberOf('Minor', minor)] as const
  const [beforeBuild, build] = cut(last, '+')
  const [patch, pre] = cut(beforeBuild, '-')
  const patchNumber = numberOf('Patch', patch)
  const identifiers = pre?.split('.') ?? []
  for (const one of identifiers) checkPrerelease(one)
  for (const one of build?.split('.') ?? []) checkBuild(one)
  return new SemverValue([...numbers, patchNumber], identifiers, build ?? '')
}

/** Splits a text at its first two dots. */
function splitIn3(text: string): readonly [string, string?, string?] {
  const [first, rest] = cut(text, '.')
  return rest === undefined ? [first] : [first, ...cut(rest, '.')]
}

function cut(text: string, at: string): readonly [string, string?] {
  const i = text.indexOf(at)
  return i < 0 ? [text] : [text.slice(0, i), text.slice(i + 1)]
}

function normalized(text: string): string {
  const parts = splitIn3(text.replace(/^v/, '')).map((part = '') =>
    part.length > 1 ? part.replace(/^0+/, '').replace(/^(?!\d)/, '0') : part,
  )
  if (parts.length < 3 && /[-+]/.test(parts.at(-1) ?? '')) throw new CelError('short version cannot contain PreRelease/Build meta data')
  while (parts.length < 3) parts.push('0')
  return parts.join('.')
}

const quoted = (text: string) => JSON.stringify(text)
const isNumeric = (text: string) => /^\d*$/.test(text)
const isAlphanumeric = (text: string) => /^[0-9A-Za-z-]*$/.test(text)

function numberOf(which: 'Major' | 'Minor' | 'Patch', text: string): bigint {
  if (text === '') throw new CelError('strconv.ParseUint: parsing "": invalid syntax')
  if (!isNumeric(text)) throw new CelError(`Invalid character(s) found in ${which.toLowerCase()} number ${quoted(text)}`)
  if (text.length > 1 && text.startsWith('0')) throw new CelError(`${which} number must not contain leading zeroes ${quoted(text)}`)
  const number = BigInt(text)
  if (number > MAX_UINT64) throw new CelError(`strconv.ParseUint: parsing ${quoted(text)}: value out of range`)
  return number
}

function checkPrerelease(text: string): void {
  if (text === '') throw new CelError('Prerelease is empty')
  if (!isAlphanumeric(text)) throw new CelError(`Invalid character(s) found in prerelease ${quoted(text)}`)
  if (!isNumeric(text)) return
  if (text.length > 1 && text.startsWith('0'))
    throw new CelError(`Numeric PreRelease version must not contain leading zeroes ${quoted(text)}`)
}

function checkBuild(text: string): void {
  if (text === '') throw new CelError('Build meta data is empty')
  if (!isAlphanumeric(text)) throw new CelError(`Invalid character(s) found in build meta data ${quoted(text)}`)
}

function compare(a: SemverValue, b: SemverValue): -1 | 0 | 1 {
  for (let i = 0; i < 3; i++) {
    const [x, y] = [a.numbers[i] ?? 0n, b.numbers[i] ?? 0n]
    if (x !== y) return x < y ? -1 : 1
  }
  if (a.pre.length === 0 || b.pre.length === 0) return a.pre.length === b.pre.length ? 0 : a.pre.length === 0 ? 1 : -1
  for (let i = 0; i < Math.max(a.pre.length, b.pre.length); i++) {
    const [x, y] = [a.pre[i], b.pre[i]]
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1
    if (x === y) continue
    const [nx, ny] = [/^\d+$/.test(x), /^\d+$/.test(y)]
    if (nx && ny) return BigInt(x) < BigInt(y) ? -1 : 1
    if (nx !== ny) return nx ? -1 : 1
    return x < y ? -1 : 1
  }
  return 0
}

function isSemver(text: string, normalize = false): boolean {
  try {
    parse(text, normalize)
    return true
  } catch {
    return false
  }
}

const number = (name: string, i: 0 | 1 | 2) => [member(`semver_${name}`, [SEMVER], INT, (v: SemverValue) => v.numbers[i])]

/** `semver`, `isSemver` and the methods of versions. */
export const SEMVERS: Library = {
  functions: {
    semver: [
      overload('string_to_semver', [STRING], SEMVER, (s: string) => parse(s)),
      overload('string_bool_to_semver', [STRING, BOOL], SEMVER, (s: string, normalize: boolean) => parse(s, normalize)),
    ],
    isSemver: [
      overload('is_semver_string', [STRING], BOOL, (s: string) => isSemver(s)),
      overload('is_semver_string_bool', [STRING, BOOL], BOOL, (s: string, normalize: boolean) => isSemver(s, normalize)),
    ],
    major: number('major', 0),
    minor: number('minor', 1),
    patch: number('patch', 2),
    compareTo: [member('semver_compare_to', [SEMVER, SEMVER], INT, (a: SemverValue, b: SemverValue) => BigInt(compare(a, b)))],
    isLessThan: [member('semver_is_less_than', [SEMVER, SEMVER], BOOL, (a: SemverValue, b: SemverValue) => compare(a, b) < 0)],
    isGreaterThan: [member('semver_is_greater_than', [SEMVER, SEMVER], BOOL, (a: SemverValue, b: SemverValue) => compare(a, b) > 0)],
  },
}
