import type { Library } from '../environment.ts'
import { member, overload } from '../standard/declare.ts'
import { BOOL, INT, opaque, STRING } from '../types.ts'
import { CelError, type Opaque, type Value } from '../values.ts'

const SEMVER = opaque('kubernetes.Semver')

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

const PATTERN =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/

/** Semantic Versioning 2.0.0; `normalize` also accepts a leading `v`, missing numbers and leading zeros. */
function parse(text: string, normalize = false): SemverValue {
  const m = PATTERN.exec(normalize ? normalized(text) : text)
  if (m === null) throw new CelError(complaint(text))
  return new SemverValue([BigInt(m[1] ?? 0), BigInt(m[2] ?? 0), BigInt(m[3] ?? 0)], m[4]?.split('.') ?? [], m[5] ?? '')
}

function normalized(text: string): string {
  const m = /^v?([^-+]*)(.*)$/s.exec(text.trim())
  const parts = (m?.[1] ?? '').split('.').map((p) => p.replace(/^0+(?=\d)/, ''))
  while (parts.length < 3) parts.push('0')
  return parts.join('.') + (m?.[2] ?? '')
}

function complaint(text: string): string {
  if (text === '') return 'Version string empty'
  const parts = text.split('.', 3)
  if (parts.length !== 3) return 'No Major.Minor.Patch elements found'
  const bad = parts.find((p) => !/^\d+/.test(p))
  return bad === undefined
    ? 'Invalid character(s) found in version'
    : `Invalid character(s) found in ${['major', 'minor', 'patch'][parts.indexOf(bad)]} number ${JSON.stringify(bad)}`
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
