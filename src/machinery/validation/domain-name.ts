import { type FieldError, invalid, required } from '../field-error.ts'
import { dns1123Label, dns1123Subdomain, patternText } from '../names.ts'

/** At least three parts: `webhook.example.com`. */
export function validateFullyQualifiedName(path: string, name: string): FieldError[] {
  if (name === '') return [required(path)]
  const faults = dns1123Subdomain(name)
  if (faults.length > 0) return [invalid(path, name, faults.join(','))]
  return name.split('.').length < 3 ? [invalid(path, name, 'should be a domain with at least three segments separated by dots')] : []
}

/** At least two parts, each a label; a final dot is permitted. */
export function validateFullyQualifiedDomainName(path: string, text: string): FieldError[] {
  if (text === '') return [required(path)]
  const name = text.endsWith('.') ? text.slice(0, -1) : text
  const faults = dns1123Subdomain(name)
  if (faults.length > 0) return [invalid(path, name, faults.join(','))]
  const labels = name.split('.')
  if (labels.length < 2) return [invalid(path, name, 'should be a domain with at least two segments separated by dots')]
  for (const label of labels) {
    const wrong = dns1123Label(label)
    if (wrong.length > 0) return [invalid(path, label, wrong.join(','))]
  }
  return []
}

const httpPath = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
const httpPathPattern = new RegExp(`^${httpPath}$`)

/** `acme.io/foo`, with any URL path after the first slash. */
export function validateDomainPrefixedPath(path: string, text: string): FieldError[] {
  if (text === '') return [required(path)]
  const slash = text.indexOf('/')
  if (slash <= 0 || slash === text.length - 1) return [invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')]
  const host = text.slice(0, slash)
  const rest = text.slice(slash + 1)
  const faults = dns1123Subdomain(host).map((fault) => invalid(path, host, fault))
  if (!httpPathPattern.test(rest)) faults.push(invalid(path, rest, patternText('Invalid path', httpPath)))
  return faults
}
