import { isRequestUri } from '../go/go-url.ts'
import { isIpv4, parseCidr, parseIp } from '../ip-address.ts'
import { longName, shortName } from '../names.ts'

type Check = (text: string) => boolean

const UUID = (version: string) =>
  new RegExp(
    `^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${version === '4' || version === '5' ? '[89ab]' : '[0-9a-f]'}[0-9a-f]{3}-?[0-9a-f]{12}$`,
    'i',
  )
const ANY_UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const matches =
  (pattern: RegExp): Check =>
  (text) =>
    pattern.test(text)

/** The string formats for custom resources. */
const TEXT_FORMATS: Readonly<Record<string, Check>> = {
  bsonobjectid: matches(/^[0-9a-fA-F]{24}$/),
  uri: isRequestUri,
  email: isEmail,
  hostname: isHostname,
  ipv4: isIpv4Text,
  ipv6: (text) => text.includes(':') && parseIp(text) !== undefined,
  cidr: (text) => isCidr(text),
  mac: matches(
    /^(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}(?:[0-9a-f]{2}|(?:[0-9a-f]{2}\1){1}[0-9a-f]{2}\1[0-9a-f]{2})|(?:[0-9a-f]{4}\.){2,3}[0-9a-f]{4})$/i,
  ),
  uuid: matches(ANY_UUID),
  uuid3: matches(UUID('3')),
  uuid4: matches(UUID('4')),
  uuid5: matches(UUID('5')),
  isbn: (text) => isIsbn(text, 10) || isIsbn(text, 13),
  isbn10: (text) => isIsbn(text, 10),
  isbn13: (text) => isIsbn(text, 13),
  creditcard: isCreditCard,
  ssn: matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
  hexcolor: matches(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: matches(
    /^rgb\(\s*(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$/,
  ),
  byte: matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  'k8s-short-name': (text) => shortName(text).length === 0,
  'k8s-long-name': (text) => longName(text).length === 0,
}

const NUMBER_FORMATS: Readonly<Record<string, ReadonlySet<string>>> = {
  integer: new Set(['int32', 'int64']),
  number: new Set(['float', 'double']),
}

/** Dashes are ignored: `date-time` is `datetime`. */
const normal = (format: string) => (format === 'k8s-short-name' || format === 'k8s-long-name' ? format : format.replaceAll('-', ''))

/** The check of a string format; undefined for unknown formats, which have no effect. */
export function textFormat(format: string): Check | undefined {
  const name = normal(format)
  return Object.hasOwn(TEXT_FORMATS, name) ? TEXT_FORMATS[name] : undefined
}

/** True if a format has an effect for a type. */
export function isKnownFormat(type: string, format: string): boolean {
  if (type === 'string' || type === '') return textFormat(format) !== undefined
  return NUMBER_FORMATS[type]?.has(format) ?? false
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const bare = /<([^<>]*)>\s*$/.exec(text)?.[1] ?? text
  if (at <= 0) return false
  const split = bare.lastIndexOf('@')
  const local = bare.slice(0, split)
  const domain = bare.slice(split + 1)
  if (split <= 0 || domain === '') return false
  const atom = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\uffff]+(?:\.[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\uffff]+)*$/
  return (atom.test(local) || /^"(?:[^"\\]|\\.)*"$/.test(local)) && (atom.test(domain) || /^\[[^\]]*\]$/.test(domain))
}

const HOST_LABEL = /^[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\p{S}\p{L}-]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u
/** The top-level domain: at least two letters. */
const TOP_LEVEL = /^[a-zA-Z\p{L}]{2,63}$/u

function isHostname(text: string): boolean {
  if (text.length > 255 || text === '') return false
  const labels = text.split('.')
  const last = labels.at(-1) ?? ''
  return labels.every((label) => HOST_LABEL.test(label)) && (labels.length === 1 || TOP_LEVEL.test(last))
}

function isIpv4Text(text: string): boolean {
  const ip = parseIp(text)
  return ip !== undefined && isIpv4(ip)
}

/** Go's `net.ParseCIDR`. */
function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/')
  if (rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false
  if (parseIp(address) === undefined) return parseCidr(text) !== undefined
  return Number(bits) <= (address.includes(':') ? 128 : 32)
}

function isIsbn(text: string, digits: number): boolean {
  const plain = text.replace(/[\s-]/g, '')
  if (digits === 10) {
    if (!/^\d{9}[\dX]$/.test(plain)) return false
    const sum = [...plain].reduce((n, c, i) => n + (i + 1) * (c === 'X' ? 10 : Number(c)), 0)
    return sum % 11 === 0
  }
  if (!/^\d{13}$/.test(plain)) return false
  return [...plain].reduce((n, c, i) => n + Number(c) * (i % 2 === 0 ? 1 : 3), 0) % 10 === 0
}

const CARD =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|(?:222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11}|6[27]\d{14})$/

function isCreditCard(text: string): boolean {
  const digits = text.replace(/\D+/g, '')
  if (!CARD.test(digits)) return false
  const sum = [...digits]
    .reverse()
    .reduce((n, c, i) => n + (i % 2 === 0 ? Number(c) : Number(c) * 2 > 9 ? Number(c) * 2 - 9 : Number(c) * 2), 0)
  return sum % 10 === 0
}

function isDate(text: string): boolean {
  const m = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (m === null) return false
  const [y, mo, d] = [Number(m[1]), Number(m[2]), Number(m[3])]
  const date = new Date(0)
  date.setUTCFullYear(y, mo - 1, d)
  return date.getUTCMonth() === mo - 1 && date.getUTCDate() === d
}

function isDateTime(text: string): boolean {
  const m = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/.exec(text)
  return m !== null && isDate(m[1] ?? '') && Number(m[2]) < 24 && Number(m[3]) < 60 && Number(m[4]) <= 60
}

const UNITS =
  '(?:ns|us|\u00b5s|ms|s|m|h|d|w|nano|nanos|nanosecond|nanoseconds|micro|micros|microsecond|microseconds|milli|millis|millisecond|milliseconds|sec|secs|second|seconds|min|mins|minute|minutes|hr|hrs|hour|hours|day|days|week|weeks)'
const GO_DURATION = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+$/
const WORDY_DURATION = new RegExp(`^\\s*(?:\\d+\\s*${UNITS}\\s*)+$`, 'i')

function isDuration(text: string): boolean {
  return text === '0' || GO_DURATION.test(text) || WORDY_DURATION.test(text)
}
