/** An image or a pattern without a scheme, cut into what is compared. */
interface Reference {
  readonly host: readonly string[]
  readonly port: string
  readonly path: string
}

function referenceOf(text: string): Reference {
  const rest = text.replace(/^https?:\/\//, '')
  const slash = rest.indexOf('/')
  const [authority, path] = slash < 0 ? [rest, ''] : [rest.slice(0, slash), rest.slice(slash)]
  const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority) ?? [undefined, authority]
  return { host: host.split('.'), port, path }
}

/**
 * Whether an image's name (without tag) lies where a pattern says (`*.example.com:5000/team`): the same number of parts in the host, each
 * of which may have wildcards, the same port, and a path that begins alike. Pure.
 */
export function matchesImage(pattern: string, image: string): boolean {
  const [wanted, given] = [referenceOf(pattern), referenceOf(image)]
  if (wanted.port !== given.port || wanted.host.length !== given.host.length || !given.path.startsWith(wanted.path)) return false
  return wanted.host.every((part, i) => globOf(part).test(given.host[i] ?? ''))
}

const globOf = (part: string) =>
  new RegExp(
    `^${part
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  )

/** The repository of an image: its registry and path, without tag and digest. Without a registry it is Docker Hub's. */
export function repositoryOf(image: string): string {
  const name = image.replace(/@.*$/, '').replace(/:[^/:]*$/, '')
  const [first = '', ...rest] = name.split('/')
  const hasRegistry = rest.length > 0 && (first === 'localhost' || /[.:]/.test(first))
  if (hasRegistry) return name
  return `docker.io/${rest.length === 0 ? `library/${name}` : name}`
}

/** The registry alone: `registry.example.com:5000`. */
export const registryOf = (repository: string): string => repository.split('/')[0] ?? ''
