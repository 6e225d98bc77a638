import { goQuote } from '../../field-error.ts'
import { parseRequestUri, UrlError } from '../../go/go-url.ts'
import * as names from '../../names.ts'
import { ANY, actualSize, COST, scaled } from '../cost.ts'
import type { Library } from '../environment.ts'
import { regexCost } from '../standard/costs.ts'
import { member, overload } from '../standard/declare.ts'
import { parseTimestamp } from '../standard/time.ts'
import { listOf, optionalOf, STRING, structure } from '../types.ts'
import { type Opaque, Optional, type Value } from '../values.ts'

/** Before the format is known its pattern counts as one of this length. */
const LONGEST_PATTERN = 128

const FORMAT = structure('kubernetes.NamedFormat')

class Format implements Opaque {
  readonly celType = 'kubernetes.NamedFormat'
  readonly name: string
  /** The faults of a text; empty if it is valid. */
  readonly check: (text: string) => readonly string[]
  /** The length of its regular expression, as far as it has one; costs count it. */
  readonly patternSize: number
  constructor(name: string, patternSize: number, check: (text: string) => readonly string[]) {
    this.name = name
    this.patternSize = patternSize
    this.check = check
  }
  equals(other: Value): boolean {
    return other instanceof Format && other.name === this.name
  }
  toString(): string {
    return this.name
  }
}

const matches = (pattern: RegExp, complaint: string) => (text: string) => (pattern.test(text) ? [] : [complaint])
const attempt = (f: (text: string) => unknown, complaint: string) => (text: string) => {
  try {
    f(text)
    return []
  } catch {
    return [complaint]
  }
}
function uriFaults(text: string): readonly string[] {
  try {
    parseRequestUri(text)
    return []
  } catch (error) {
    if (!(error instanceof UrlError)) throw error
    return [`parse ${goQuote(text)}: ${error.message}`]
  }
}
/** A prefix may end with a dash, because the generated suffix follows. */
const prefix = (check: (text: string) => readonly string[]) => (text: string) => check(text.endsWith('-') ? `${text.slice(0, -1)}a` : text)

const FORMATS: readonly Format[] = [
  new Format('dns1123Label', 30, names.dns1123Label),
  new Format('dns1123Subdomain', 60, names.dns1123Subdomain),
  new Format('dns1035Label', 30, names.dns1035Label),
  new Format('qualifiedName', 60, names.qualifiedName),
  new Format('dns1123LabelPrefix', 30, prefix(names.dns1123Label)),
  new Format('dns1123SubdomainPrefix', 60, prefix(names.dns1123Subdomain)),
  new Format('dns1035LabelPrefix', 30, prefix(names.dns1035Label)),
  new Format('labelValue', 40, names.labelValue),
  new Format('uri', 1103, uriFaults),
  new Format(
    'uuid',
    70,
    matches(/^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$/, 'does not match the UUID format'),
  ),
  new Format('byte', 84, matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, 'invalid base64')),
  new Format('date', 71, matches(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, 'invalid date')),
  new Format('datetime', 71, attempt(parseTimestamp, 'invalid datetime')),
]
const BY_NAME = new Map(FORMATS.map((f) => [f.name, f]))

/** `format.dns1123Label().validate(text)`, `format.named('…')`. */
export const NAMED_FORMATS: Library = {
  functions: {
    'format.named': [
      overload('format_named', [STRING], optionalOf(FORMAT), (name: string) => {
        const found = BY_NAME.get(name)
        return found === undefined ? Optional.none : new Optional(found)
      }),
    ],
    ...Object.fromEntries(FORMATS.map((f) => [`format.${f.name}`, [overload(`format_${f.name}`, [], FORMAT, () => f)]])),
    validate: [
      member('format_validate', [FORMAT, STRING], optionalOf(listOf(STRING)), (f: Format, text: string) => {
        const faults = f.check(text)
        return faults.length === 0 ? Optional.none : new Optional(faults)
      }),
    ],
  },
  costs: {
    validate: {
      estimate: ([, text]) => ({ cost: scaled(scaled(text?.size ?? ANY, COST.traversal), LONGEST_PATTERN * COST.regex) }),
      actual: ([format, text]) => regexCost(actualSize(text ?? null), format instanceof Format ? format.patternSize : LONGEST_PATTERN),
    },
  },
}
