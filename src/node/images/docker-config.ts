import type { Secret } from '../../resources/types/core.ts'
import type { RegistryLogin } from '../runtime/runtime.ts'
import { matchesImage } from './image-match.ts'

/** Logins by place: `registry.example.com`, `https://registry.example.com/v1/`, `registry.example.com/team`. */
export type Logins = ReadonlyMap<string, RegistryLogin>

interface Entry {
  readonly username?: string
  readonly password?: string
  /** Both in base64, with a colon between. */
  readonly auth?: string
}

/** What Docker Hub is called in configurations. */
const HUB = 'index.docker.io'

/** The logins of a pull secret; a secret of another type or without valid content has none. */
export function secretLogins({ data = {}, type }: Secret): Logins {
  try {
    if (type === 'kubernetes.io/dockerconfigjson') return loginsOf(parsed(data['.dockerconfigjson']).auths ?? {})
    if (type === 'kubernetes.io/dockercfg') return loginsOf(parsed(data['.dockercfg']))
  } catch {
    // As the kubelet: it pulls without this secret.
  }
  return new Map()
}

type Entries = Readonly<Record<string, Entry>>

const parsed = (base64 = ''): Entries & { readonly auths?: Entries } => JSON.parse(Buffer.from(base64, 'base64').toString())

/** Logins as configurations write them. */
export function loginsOf(entries: Entries): Logins {
  return new Map(Object.entries(entries).map(([place, entry]) => [place, loginOf(entry)]))
}

function loginOf({ username = '', password = '', auth = '' }: Entry): RegistryLogin {
  if (auth === '') return { username, password }
  const decoded = Buffer.from(auth, 'base64').toString()
  const colon = decoded.indexOf(':')
  return { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) }
}

/** The logins for a repository, those of longer places first. Pure. */
export function loginsFor(logins: Logins, repository: string): readonly RegistryLogin[] {
  const places = [...logins].map(([place, login]) => ({ place: keyOf(place), login })).sort((a, b) => (a.place < b.place ? 1 : -1))
  const own = places.filter(({ place }) => matchesImage(place, repository))
  if (own.length > 0) return own.map(({ login }) => login)
  return repository.startsWith('docker.io/') ? places.filter(({ place }) => place === HUB).map(({ login }) => login) : []
}

/** Host and path; the paths of Docker's own API mean the host. */
function keyOf(place: string): string {
  const [, host = '', path = ''] = /^(?:https?:\/\/)?([^/]*)(\/.*)?$/.exec(place) ?? []
  const own = /^\/v[12]\//.test(path) ? path.slice(3) : path
  return own === '/' ? host : `${host}${own}`
}
