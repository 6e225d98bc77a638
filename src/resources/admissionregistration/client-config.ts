import { child, type FieldError, invalid, required } from '../../machinery/field-error.ts'
import { dns1123Subdomain, portNumber } from '../../machinery/names.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import type * as admissionregistration from '../types/admissionregistration.ts'
import type { Unchecked } from '../unchecked.ts'

/** The address of a webhook: a URL, or a service in the cluster. */
export type ClientConfig = Unchecked<admissionregistration.WebhookClientConfig>

export function validateClientConfig(config: ClientConfig, path: string): FieldError[] {
  if ((config.url === undefined) === (config.service === undefined)) return [required(path, 'exactly one of url or service is required')]
  if (config.url !== undefined) return validateUrl(config.url, child(path, 'url'))
  return validateWebhookService(config.service ?? {}, child(path, 'service'))
}

const FORM = '; desired format: https://host[/path]'
const URL_PARTS = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/s

/** Validates a URL as Go's `url.Parse` does. */
export function validateUrl(text: string, path: string): FieldError[] {
  const parts = URL_PARTS.exec(text)
  const why = unreadable(text)
  if (!parts || why !== undefined)
    return [required(path, `url must be a valid URL: parse ${JSON.stringify(text)}: ${why ?? 'invalid'}${FORM}`)]
  const scheme = (parts[1] ?? '').toLowerCase()
  const authority = parts[2] ?? ''
  const user = authority.includes('@') ? authority.slice(0, authority.lastIndexOf('@')) : undefined
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const faults: FieldError[] = []
  if (scheme !== 'https') faults.push(invalid(path, scheme, `'https' is the only allowed URL scheme${FORM}`))
  if (host === '') faults.push(invalid(path, host, `host must be specified${FORM}`))
  if (user !== undefined) faults.push(invalid(path, user, `user information is not permitted in the URL`))
  if ((parts[5] ?? '').length > 1) faults.push(invalid(path, parts[5]?.slice(1), `fragments are not permitted in the URL`))
  if ((parts[4] ?? '').length > 1) faults.push(invalid(path, parts[4]?.slice(1), `query parameters are not permitted in the URL`))
  return faults
}

function unreadable(text: string): string | undefined {
  for (const c of text) if (c < ' ' || c === '\x7f') return 'net/url: invalid control character in URL'
  if (text.startsWith(':')) return 'missing protocol scheme'
  // Go finds no scheme before the colon, and a path may not begin with this.
  if (!/^(?:[a-zA-Z][a-zA-Z0-9+.-]*:|\/)/.test(text) && /^[^/?#]*:/.test(text)) return 'first path segment in URL cannot contain colon'
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(text)?.[0]
  return bad === undefined ? undefined : `invalid URL escape ${JSON.stringify(bad)}`
}

export function validateWebhookService(service: NonNullable<ClientConfig['service']>, path: string): FieldError[] {
  const faults: FieldError[] = []
  // Kubernetes names the wrong field here.
  if (!service.name) faults.push(required(child(path, 'namespace')))
  if (!service.namespace) faults.push(required(child(path, 'name')))
  const port = service.port ?? 0
  const wrong = portNumber(port)
  if (wrong.length > 0) faults.push(invalid(child(path, 'port'), port, `port is not valid: ${wrong.join(',')}`))
  return [...faults, ...validatePath(service.path ?? '', child(path, 'path'))]
}

function validatePath(text: string, path: string): FieldError[] {
  if (text === '' || text === '/') return []
  if (text === '//') return [invalid(path, text, 'segment[0] may not be empty')]
  const faults: FieldError[] = text.startsWith('/') ? [] : [invalid(path, text, "must start with a '/'")]
  // Kubernetes leaves out the first byte.
  const rest = Buffer.from(text).subarray(1).toString()
  const segments = rest.replace(/\/$/, '').split('/')
  return [
    ...faults,
    ...faultsOfEach(segments, (segment, i) => {
      const found: FieldError[] = []
      if (segment === '') found.push(invalid(path, text, `segment[${i}] may not be empty`))
      for (const wrong of segment === '' ? [] : dns1123Subdomain(segment)) found.push(invalid(path, text, `segment[${i}]: ${wrong}`))
      return found
    }),
  ]
}
