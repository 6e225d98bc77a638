const COMPONENT = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'
const DOMAIN_PART = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])'
const HOST = `(?:${DOMAIN_PART}(?:\\.${DOMAIN_PART})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`
const NAME = new RegExp(`^(?:${HOST}/)?${COMPONENT}(?:/${COMPONENT})*$`)
const TAG = /^\w[\w.-]{0,127}$/
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/
const longest = 4096
const longestName = 255

/**
 * The tag of an image reference; `latest` where neither tag nor digest is given, `''` where there is a digest alone or no valid reference.
 */
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

/** When nothing is said, a moving tag is pulled always and a fixed one once. */
export const imagePullPolicyFor = (image: string): string => (imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent')

/** With the default registry and folder where the name has none. */
function fullNameLength(name: string): number {
  const slash = name.indexOf('/')
  const first = slash < 0 ? '' : name.slice(0, slash)
  if (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase()) return name.length
  return name.length + (slash < 0 ? 'docker.io/library/'.length : 'docker.io/'.length)
}
