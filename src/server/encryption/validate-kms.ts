import { child, type FieldError, goQuote, invalid, required } from '../../machinery/field-error.ts'
import { parseRequestUri, UrlError } from '../../machinery/go/go-url.ts'
import type { KmsConfiguration } from './encryption-configuration.ts'

export interface KmsNames {
  /** The providers before this one. */
  readonly kmsNames: ReadonlySet<string>
  readonly reloads: boolean
}

/** The faults of one KMS provider. */
export function kmsFaults(kms: KmsConfiguration, path: string, { kmsNames, reloads }: KmsNames): FieldError[] {
  const { apiVersion, name, timeoutMs, timeout, cachesize } = kms
  const faults: FieldError[] = []
  const namePath = child(path, 'name')
  if (name === '') faults.push(required(namePath, 'name is a mandatory field for a provider'))
  if (apiVersion !== 'v1' && name.includes(':'))
    faults.push(invalid(namePath, name, `invalid KMS provider name ${name}, must not contain ':'`))
  if ((reloads || apiVersion !== 'v1') && kmsNames.has(name))
    faults.push(invalid(namePath, name, `duplicate KMS provider name ${name}, names must be unique`))
  if (timeoutMs <= 0) faults.push(invalid(child(path, 'timeout'), timeout, 'timeout should be a positive value'))
  faults.push(...endpointFaults(kms.endpoint, child(path, 'endpoint')))
  if (apiVersion !== 'v1' && cachesize !== undefined)
    faults.push(invalid(child(path, 'cachesize'), cachesize, 'cachesize is not supported in v2'))
  if (apiVersion === 'v1' && cachesize === 0)
    faults.push(invalid(child(path, 'cachesize'), cachesize, 'cachesize should be a positive value, or negative to disable'))
  if (apiVersion !== 'v1' && apiVersion !== 'v2')
    // Upstream prints the field's name in place of the version.
    faults.push(
      invalid(child(path, 'apiVersion'), apiVersion, 'unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported'),
    )
  return faults
}

function endpointFaults(endpoint: string, path: string): FieldError[] {
  if (endpoint === '') return [invalid(path, '', 'endpoint is a mandatory field for a kms')]
  try {
    const scheme = schemeOf(endpoint)
    if (scheme === 'unix') return []
    return [invalid(path, endpoint, `unsupported scheme ${goQuote(scheme)} for KMS provider, only unix is supported`)]
  } catch (error) {
    if (!(error instanceof UrlError)) throw error
    return [invalid(path, endpoint, `invalid endpoint for kms provider, error: parse ${goQuote(endpoint)}: ${error.message}`)]
  }
}

/** The scheme of what Go's `url.Parse` reads, which may also be relative. @throws {UrlError} */
function schemeOf(endpoint: string): string {
  const [url = ''] = endpoint.split('#', 1)
  const [first = ''] = url.split('/', 1)
  if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(url) || url.startsWith('/') || url.startsWith(':')) return parseRequestUri(url).scheme
  if (first.includes(':')) throw new UrlError('first path segment in URL cannot contain colon')
  return ''
}

/** The socket of a valid endpoint; a path that begins with `/@` is a name in Linux' abstract namespace. */
export function socketOf(endpoint: string): string {
  const path = decodeURIComponent(parseRequestUri(endpoint.split('#', 1)[0] ?? '').escapedPath)
  return path.startsWith('/@') ? `\0${path.slice(2)}` : path
}
