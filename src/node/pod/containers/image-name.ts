/** The grammar of image references (github.com/distribution/reference), matched part by part so that long names take linear time. */
const TAG = /^\w[\w.-]{0,127}$/
const DIGEST = /^[A-Za-z][A-Za-z0-9]*([-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/
const HOST_PART = /^[a-zA-Z0-9-]+$/
const PORT = /^\d+$/
const IPV6 = /^\[[a-fA-F0-9:]+\]$/
const IDENTIFIER = /^[a-f0-9]{64}$/
const PATH_MAX = 255

/** The number of hex digits by digest algorithm. */
const DIGEST_DIGITS: ReadonlyMap<string, number> = new Map([
  ['sha256', 64],
  ['sha384', 96],
  ['sha512', 128],
])

/** The parser's message if a text is no image reference; undefined if it is valid. */
export function imageNameFault(image: string): string | undefined {
  const why = faultOf(image)
  return why && `couldn't parse image name ${JSON.stringify(image)}: ${why}`
}

function faultOf(image: string): string | undefined {
  if (IDENTIFIER.test(image)) return `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`
  const { domain, rest } = split(image)
  const remote = rest.split(':', 1)[0] ?? ''
  if (remote.toLowerCase() !== remote) return `invalid reference format: repository name (${remote}) must be lowercase`
  const parsed = parse(domain, rest)
  if (parsed === undefined) return 'invalid reference format'
  if (parsed.path.length > PATH_MAX) return `repository name must not be more than ${PATH_MAX} characters`
  return parsed.digest === undefined ? undefined : digestFault(parsed.digest)
}

/** Splits into registry and repository; without a registry the name belongs to Docker Hub. */
function split(name: string): { readonly domain: string; readonly rest: string } {
  const slash = name.indexOf('/')
  const first = name.slice(0, Math.max(slash, 0))
  const own = slash >= 0 && (first === 'localhost' || /[.:]/.test(first) || first.toLowerCase() !== first)
  const domain = own && first !== 'index.docker.io' ? first : 'docker.io'
  const rest = own ? name.slice(slash + 1) : name
  return { domain, rest: domain === 'docker.io' && !rest.includes('/') ? `library/${rest}` : rest }
}

function parse(domain: string, rest: string): { readonly path: string; readonly digest: string | undefined } | undefined {
  const at = rest.indexOf('@')
  const digest = at < 0 ? undefined : rest.slice(at + 1)
  const named = at < 0 ? rest : rest.slice(0, at)
  const colon = named.indexOf(':')
  const tag = colon < 0 ? undefined : named.slice(colon + 1)
  const path = colon < 0 ? named : named.slice(0, colon)
  if (!isDomain(domain) || !path.split('/').every(isComponent)) return undefined
  if ((tag !== undefined && !TAG.test(tag)) || (digest !== undefined && !DIGEST.test(digest))) return undefined
  return { path, digest }
}

function isDomain(domain: string): boolean {
  const colon = domain.lastIndexOf(':')
  if (IPV6.test(domain)) return true
  const host = colon < 0 ? domain : domain.slice(0, colon)
  if (colon >= 0 && !PORT.test(domain.slice(colon + 1))) return false
  return IPV6.test(host) || host.split('.').every((part) => HOST_PART.test(part) && !part.startsWith('-') && !part.endsWith('-'))
}

/** Letters and digits, separated by one dot, one or two underscores, or dashes. */
function isComponent(component: string): boolean {
  const words = component.split(/[^a-z0-9]+/)
  const between = component.split(/[a-z0-9]+/).slice(1, -1)
  return words.every((word) => word !== '') && between.every((mark) => mark === '.' || mark === '_' || mark === '__' || /^-+$/.test(mark))
}

function digestFault(digest: string): string | undefined {
  const [algorithm = '', digits = ''] = digest.split(':')
  const length = DIGEST_DIGITS.get(algorithm)
  if (length === undefined) return 'unsupported digest algorithm'
  if (digits.length !== length) return 'invalid checksum digest length'
  return /^[a-f0-9]+$/.test(digits) ? undefined : 'invalid checksum digest format'
}
