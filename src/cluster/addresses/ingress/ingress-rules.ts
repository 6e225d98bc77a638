import type { HTTPIngressPath, Ingress, IngressBackend, IngressRule } from '../../../resources/types/networking.ts'

/** The port of a service that a request goes to. */
export interface IngressTarget {
  readonly namespace: string
  readonly service: string
  /** Its number, or its name. */
  readonly port: number | string
}

/** What the paths of one host lead to; `Exact` before the longest `Prefix`. */
interface HostPaths {
  readonly exact: Map<string, IngressTarget>
  /** The longest first. */
  readonly prefixes: { readonly elements: readonly string[]; readonly target: IngressTarget }[]
}

/**
 * Which service a request is for, by the rules of networking.k8s.io/v1: the exact host before a wildcard before rules without a host, and
 * within one `Exact` paths before the longest `Prefix`. `ImplementationSpecific` paths are prefixes. Of two rules for the same path the
 * one of the older Ingress holds.
 */
export class IngressRules {
  readonly #hosts = new Map<string, HostPaths>()
  #default: IngressTarget | undefined

  constructor(ingresses: readonly Ingress[]) {
    for (const ingress of [...ingresses].sort(byAge)) {
      const { rules = [], defaultBackend } = ingress.spec ?? {}
      for (const rule of rules) this.#add(ingress, rule)
      this.#default ??= targetOf(ingress, defaultBackend)
    }
  }

  /** Undefined: no rule is for it. `host`: without a port. */
  find(host: string, path: string): IngressTarget | undefined {
    const name = host.toLowerCase()
    const wildcard = `*${name.slice(Math.max(0, name.indexOf('.')))}`
    for (const paths of [name, wildcard, ''].map((key) => this.#hosts.get(key))) {
      const found = paths && targetIn(paths, path)
      if (found !== undefined) return found
    }
    return this.#default
  }

  #add(ingress: Ingress, { host = '', http }: IngressRule): void {
    const paths = this.#hosts.get(host) ?? { exact: new Map(), prefixes: [] }
    this.#hosts.set(host, paths)
    for (const path of http?.paths ?? []) {
      const target = targetOf(ingress, path.backend)
      if (target !== undefined) addPath(paths, path, target)
    }
  }
}

function addPath({ exact, prefixes }: HostPaths, { path = '/', pathType }: HTTPIngressPath, target: IngressTarget): void {
  if (pathType === 'Exact') {
    if (!exact.has(path)) exact.set(path, target)
    return
  }
  const elements = elementsOf(path)
  const shorter = prefixes.findIndex((known) => known.elements.length < elements.length)
  prefixes.splice(shorter < 0 ? prefixes.length : shorter, 0, { elements, target })
}

function targetIn({ exact, prefixes }: HostPaths, path: string): IngressTarget | undefined {
  const elements = elementsOf(path)
  return exact.get(path) ?? prefixes.find((prefix) => prefix.elements.every((element, i) => element === elements[i]))?.target
}

/** A prefix matches whole elements: `/foo` is one of `/foo/bar`, not of `/foobar`. */
const elementsOf = (path: string): readonly string[] => path.split('/').filter((element) => element !== '')

/** Undefined: the backend is an object that is no service. */
function targetOf({ metadata: { namespace = '' } }: Ingress, backend: IngressBackend | undefined): IngressTarget | undefined {
  const port = backend?.service?.port?.number ?? backend?.service?.port?.name
  return backend?.service && port !== undefined ? { namespace, service: backend.service.name, port } : undefined
}

const byAge = ({ metadata: a }: Ingress, { metadata: b }: Ingress) =>
  (a.creationTimestamp ?? '').localeCompare(b.creationTimestamp ?? '') ||
  `${a.namespace}/${a.name}`.localeCompare(`${b.namespace}/${b.name}`)
