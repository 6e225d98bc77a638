/**
 * Kubernetes' rules for names, keys and values. Every function returns Kubernetes' texts, none for a valid value.
 * Lengths are in bytes of UTF-8.
 */

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomain = `${label}(\\.${label})*`
const looseLabel = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
const looseSubdomain = `${looseLabel}(\\.${looseLabel})*`
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?'
const wildcard = `\\*\\.${subdomain}`
const qualified = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const labelText = `(${qualified})?`
const cIdentifierText = '[A-Za-z_][A-Za-z0-9_]*'
const percentText = '[0-9]+%'
const headerText = '[-A-Za-z0-9]+'
const configKeyText = '[-._a-zA-Z0-9]+'

// Where a simpler pattern is equivalent to the one in the message, the simpler one is executed: these never backtrack.
const whole = (source: string) => new RegExp(`^(?:${source})$`)
const labelPattern = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/
const label1035Pattern = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/
const subdomainPattern = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/
const looseSubdomainPattern = whole(looseSubdomain)
const wildcardPattern = whole(wildcard)
const qualifiedPattern = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/
const cIdentifierPattern = whole(cIdentifierText)
const percentPattern = whole(percentText)
const headerPattern = whole(headerText)
const configKeyPattern = whole(configKeyText)

const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character"
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
const looseSubdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character"
const label1035Rule =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character"
const wildcardRule =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character"
const qualifiedRule = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
const labelValueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
const cIdentifierRule =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'"

/** The message for a value that does not match a pattern: `RULE (e.g. 'a',  or 'b', regex used for validation is 'PATTERN')`. */
export function patternText(rule: string, pattern: string, ...examples: string[]): string {
  if (examples.length === 0) return `${rule} (regex used for validation is '${pattern}')`
  return `${rule} (e.g. ${examples.map((e) => `'${e}', `).join(' or ')}regex used for validation is '${pattern}')`
}

/** `must be no more than N characters`. */
export const tooLongText = (max: number): string => `must be no more than ${max} characters`
/** The same rule in the words of newer validations. */
export const tooManyBytesText = (max: number): string => `must be no more than ${max} bytes`
export const emptyText = 'must be non-empty'
/** `must be between LOW and HIGH, inclusive`. */
export const rangeText = (low: number, high: number): string => `must be between ${low} and ${high}, inclusive`

const longer = (value: string, max: number): boolean => value.length > max || (value.length * 3 > max && Buffer.byteLength(value) > max)

function check(value: string, max: number, pattern: RegExp, text: () => string): string[] {
  const faults: string[] = []
  if (longer(value, max)) faults.push(tooLongText(max))
  if (!pattern.test(value)) faults.push(text())
  return faults
}

/** RFC 1123 label: names of namespaces, containers, ports of services. */
export function dns1123Label(value: string): string[] {
  return check(value, 63, labelPattern, () =>
    subdomainPattern.test(value) ? 'must not contain dots' : patternText(labelRule, label, 'my-name', '123-abc'),
  )
}

/** RFC 1123 subdomain: the names of most objects. */
export function dns1123Subdomain(value: string): string[] {
  return check(value, 253, subdomainPattern, () => patternText(subdomainRule, subdomain, 'example.com'))
}

/** The same, an underscore allowed (search domains of pods). */
export function dns1123SubdomainWithUnderscore(value: string): string[] {
  return check(value, 253, looseSubdomainPattern, () => patternText(looseSubdomainRule, looseSubdomain, 'example.com'))
}

/** RFC 1035 label: names of services. */
export function dns1035Label(value: string): string[] {
  return check(value, 63, label1035Pattern, () => patternText(label1035Rule, label1035, 'my-name', 'abc-123'))
}

/** `*.example.com`. */
export function wildcardDns1123Subdomain(value: string): string[] {
  return check(value, 253, wildcardPattern, () => patternText(wildcardRule, wildcard, '*.example.com'))
}

/** The long-name rule of declarative validation: a subdomain whose length is counted in bytes. */
export function longName(value: string): string[] {
  return dns1123Subdomain(value).map((text) => (text === tooLongText(253) ? tooManyBytesText(253) : text))
}

/** The short-name rule of declarative validation: a label whose length is counted in bytes. */
export function shortName(value: string): string[] {
  return dns1123Label(value).map((text) => (text === tooLongText(63) ? tooManyBytesText(63) : text))
}

/** A label key: an optional subdomain and `/`, then a name of up to 63 bytes. Also annotations, finalizers, taints, resources. */
export function qualifiedName(value: string): string[] {
  return isQualifiedName(value) ? [] : qualifiedNameFaults(value)
}

/** True if it is valid. Allocates nothing: objects may have a hundred thousand keys. */
export function isQualifiedName(value: string): boolean {
  const slash = value.indexOf('/')
  if (slash < 0) return value.length <= 63 && qualifiedPattern.test(value)
  if (slash > 253 || value.length - slash > 64) return false
  return subdomainPattern.test(value.slice(0, slash)) && qualifiedPattern.test(value.slice(slash + 1))
}

function qualifiedNameFaults(value: string): string[] {
  const faults: string[] = []
  const parts = value.split('/')
  let name = value
  if (parts.length === 2) {
    const prefix = parts[0] ?? ''
    name = parts[1] ?? ''
    if (prefix === '') faults.push(`prefix part ${emptyText}`)
    else for (const text of longName(prefix)) faults.push(`prefix part ${text}`)
  } else if (parts.length > 2) {
    const rule = patternText(`a valid label key ${qualifiedRule}`, qualified, 'MyName', 'my.name', '123-abc')
    return [`${rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]
  }
  if (name === '') faults.push(`name part ${emptyText}`)
  else if (longer(name, 63)) faults.push(`name part ${tooManyBytesText(63)}`)
  if (!qualifiedPattern.test(name)) faults.push(`name part ${patternText(qualifiedRule, qualified, 'MyName', 'my.name', '123-abc')}`)
  return faults
}

/** True if a label may have this value. */
export const isLabelValue = (value: string): boolean => value === '' || (value.length <= 63 && qualifiedPattern.test(value))

/** A label's value. */
export function labelValue(value: string): string[] {
  if (isLabelValue(value)) return []
  const faults: string[] = []
  if (longer(value, 63)) faults.push(tooManyBytesText(63))
  if (!qualifiedPattern.test(value)) faults.push(patternText(labelValueRule, labelText, 'MyValue', 'my_value', '12345'))
  return faults
}

/** A path segment of a URL: the loosest rule for names (RBAC). */
export function pathSegmentName(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`]
  return pathSegmentPrefix(value)
}

/** The rule for the beginning of a generated name. */
export function pathSegmentPrefix(value: string): string[] {
  return ['/', '%'].filter((c) => value.includes(c)).map((c) => `may not contain '${c}'`)
}

/** A key of a ConfigMap or Secret. */
export function configMapKey(value: string): string[] {
  const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
  return [
    ...check(value, 253, configKeyPattern, () => patternText(rule, configKeyText, 'key.name', 'KEY_NAME', 'key-name')),
    ...parentFolder(value),
  ]
}

/** The name of an environment variable. */
export function envVarName(value: string): string[] {
  if (value === '') return [`environment variable name ${emptyText}`]
  return /[^\x20-\x7e]|=/.test(value)
    ? ["a valid environment variable name must consist only of printable ASCII characters other than '='"]
    : []
}

function parentFolder(value: string): string[] {
  if (value === '.' || value === '..') return [`must not be '${value}'`]
  return value.startsWith('..') ? ["must not start with '..'"] : []
}

/** The name of a port: RFC 6335. */
export function ianaServiceName(value: string): string[] {
  const faults: string[] = []
  if (longer(value, 15)) faults.push(tooLongText(15))
  if (!/^[-a-z0-9]+$/.test(value)) faults.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  if (!/[a-z]/.test(value)) faults.push('must contain at least one letter (a-z)')
  if (value.includes('--')) faults.push('must not contain consecutive hyphens')
  if (value.startsWith('-') || value.endsWith('-')) faults.push('must not begin or end with a hyphen')
  return faults
}

/** 1 to 65535. */
export function portNumber(port: number): string[] {
  return inRange(port, 1, 65535)
}

export function inRange(value: number, low: number, high: number): string[] {
  return value >= low && value <= high ? [] : [rangeText(low, high)]
}

/** A Unix user or group id. */
export function unixId(id: number): string[] {
  return inRange(id, 0, 0x7fffffff)
}

/** `30%`. */
export function percent(value: string): string[] {
  const rule = "a valid percent string must be a numeric string followed by an ending '%'"
  return percentPattern.test(value) ? [] : [patternText(rule, percentText, '1%', '93%')]
}

/** The name of an HTTP header. */
export function httpHeaderName(value: string): string[] {
  const rule = "a valid HTTP header must consist of alphanumeric characters or '-'"
  return headerPattern.test(value) ? [] : [patternText(rule, headerText, 'X-Header-Name')]
}

/** An identifier as in C. */
export function cIdentifier(value: string): string[] {
  return cIdentifierPattern.test(value) ? [] : [patternText(cIdentifierRule, cIdentifierText, 'my_name', 'MY_NAME', 'MyName')]
}

export { cidr, ipAddress } from './ip-address.ts'
