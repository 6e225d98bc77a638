const COMPONENT = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'
const DOMAIN_PART = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])'
const HOST = `(?:${DOMAIN_PART}(?:\\.${DOMAIN_PART})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`
const NAME = new RegExp(`^(?:${HOST}/)?${COMPONENT}(?:/${COMPONENT})*$`)
const TAG = /^\w[\w.-]{0,127}$/
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/
const longest = 4096
const longestName = 255

/** The tag of an image reference; `latest` if neither tag nor digest is given, `''` for a digest alone or an invalid reference. */
export function imageTag(reference: string): string {
  if (reference.length > longest) return ''
  const at = reference.indexOf('@')
  const digest = at < 0 ? '' : reference.slice(at + 1)
  let name = at < 0 ? reference : reference.slice(0, at)
  let tag = ''
  const colon = name.lastIndexOf(':')
  if (colon > name.lastIndexOf('/')) {
    tag = name.slice(colon + 1)
    name = name.slice(0, colon)
    if (!TAG.test(tag)) return ''
  }
  if (!NAME.test(name) || (at >= 0 && !DIGEST.test(digest)) || /^[a-f0-9]{64}$/.test(reference)) return ''
  if (fullNameLength(name) > longestName) return ''
  return tag === '' && digest === '' ? 'latest' : tag
}

/** The default pull policy: Always for the tag `latest`, IfNotPresent for others. */
export const imagePullPolicyFor = (image: string): string => (imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent')

/** The length with the default registry and repository, if the name has none. */
function fullNameLength(name: string): number {
  const slash = name.indexOf('/')
  const first = slash < 0 ? '' : name.slice(0, slash)
  if (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase()) return name.length
  return name.length + (slash < 0 ? 'docker.io/library/'.length : 'docker.io/'.length)
}
