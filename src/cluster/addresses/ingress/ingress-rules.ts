import { Pace, type Steps } from '../../../base/steps.ts'
import type { HTTPIngressPath, Ingress, IngressBackend } from '../../../resources/types/networking.ts'

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
  readonly prefixes: PrefixNode
}

/** The prefixes that begin with the same elements: a request is led by as many of them as it has, however many prefixes there are. */
interface PrefixNode {
  target?: IngressTarget
  readonly below: Map<string, PrefixNode>
}

/**
 * Which service a request is for, by the rules of networking.k8s.io/v1: the exact host before a wildcard before rules without a host, and
 * within one `Exact` paths before the longest `Prefix`. `ImplementationSpecific` paths are prefixes. Of two rules for the same path the
 * one of the older Ingress holds.
 */
export class IngressRules {
  readonly #hosts = new Map<string, HostPaths>()
  #default: IngressTarget | undefined

  /** In steps: one Ingress may have fifteen thousand paths. */
  static *of(ingresses: readonly Ingress[]): Steps<IngressRules> {
    const rules = new IngressRules()
    const pace = new Pace()
    for (const ingress of [...ingresses].sort(byAge)) {
      const { rules: given = [], defaultBackend } = ingress.spec ?? {}
      for (const { host = '', http } of given) {
        const paths = rules.#pathsOf(host)
        for (const path of http?.paths ?? []) {
          if (pace.due()) yield
          addPath(paths, path, targetOf(ingress, path.backend))
        }
      }
      rules.#default ??= targetOf(ingress, defaultBackend)
    }
    return rules
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

  #pathsOf(host: string): HostPaths {
    const paths = this.#hosts.get(host) ?? { exact: new Map(), prefixes: { below: new Map() } }
    this.#hosts.set(host, paths)
    return paths
  }
}

function addPath({ exact, prefixes }: HostPaths, { path = '/', pathType }: HTTPIngressPath, target: IngressTarget | undefined): void {
  if (target === undefined) return
  if (pathType === 'Exact') {
    if (!exact.has(path)) exact.set(path, target)
    return
  }
  let node = prefixes
  for (const element of elementsOf(path)) {
    const next: PrefixNode = node.below.get(element) ?? { below: new Map() }
    node.below.set(element, next)
    node = next
  }
  node.target ??= target
}

function targetIn({ exact, prefixes }: HostPaths, path: string): IngressTarget | undefined {
  const found = exact.get(path)
  if (found !== undefined) return found
  let longest = prefixes.target
  let node: PrefixNode | undefined = prefixes
  for (const element of elementsOf(path)) {
    node = node.below.get(element)
    if (node === undefined) break
    longest = node.target ?? longest
  }
  return longest
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
