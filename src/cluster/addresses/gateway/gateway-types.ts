/** The controller whose name a GatewayClass has to have. */
export const GATEWAY_CONTROLLER = 'bowsprit.dev/gateway'
export const GATEWAY_GROUP = 'gateway.networking.k8s.io'

const ref = (resource: string) => ({ group: GATEWAY_GROUP, version: 'v1', resource })
export const GATEWAY_CLASSES = ref('gatewayclasses')
export const GATEWAYS = ref('gateways')
export const HTTP_ROUTES = ref('httproutes')
/** `v1beta1` is the version of the standard channel; only the cached objects are read. */
export const REFERENCE_GRANTS = ref('referencegrants')

/** What every object here has. */
export interface Named {
  readonly namespace: string
  readonly name: string
  readonly generation: number
  /** RFC 3339. */
  readonly created: string
}

/** A reference from one object to another. `namespace` is that of the referring object, if it names none. */
export interface ObjectRef {
  readonly group: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

export interface Listener {
  readonly name: string
  /** Empty: all hosts. */
  readonly hostname: string
  readonly port: number
  readonly protocol: string
  /** `Terminate` if not given. */
  readonly tlsMode: string
  readonly certificates: readonly ObjectRef[]
  readonly allowed: AllowedRoutes
}

export interface AllowedRoutes {
  readonly from: string
  /** With `Selector`: the labels of namespaces. */
  readonly selector: unknown
  /** Undefined: those of the protocol. */
  readonly kinds: readonly { readonly group: string; readonly kind: string }[] | undefined
}

export interface Gateway extends Named {
  readonly className: string
  readonly listeners: readonly Listener[]
  readonly status: unknown
}

export interface HttpRoute extends Named {
  readonly hostnames: readonly string[]
  readonly parents: readonly ParentRef[]
  readonly rules: readonly RouteRule[]
  /** What of it is not understood, by field. */
  readonly unsupported: readonly string[]
  readonly status: unknown
}

export interface ParentRef extends ObjectRef {
  readonly sectionName: string | undefined
  readonly port: number | undefined
  /** As it is given: statuses repeat it. */
  readonly given: unknown
}

export interface RouteRule {
  /** At least one. */
  readonly matches: readonly RouteMatch[]
  readonly filters: RouteFilters
  readonly backends: readonly RouteBackend[]
}

/** All of them have to hold. */
export interface RouteMatch {
  readonly exact: boolean
  readonly path: string
  readonly method: string | undefined
  /** Names in lower case. */
  readonly headers: readonly NameAndValue[]
  readonly query: readonly NameAndValue[]
}

export interface NameAndValue {
  readonly name: string
  readonly value: string
}

export interface RouteBackend extends ObjectRef {
  readonly port: number | undefined
  readonly weight: number
}

export interface RouteFilters {
  readonly request?: HeaderChanges
  readonly response?: HeaderChanges
  readonly redirect?: Redirect
  readonly rewrite?: Rewrite
}

export interface HeaderChanges {
  readonly set: readonly NameAndValue[]
  readonly add: readonly NameAndValue[]
  /** In lower case. */
  readonly remove: readonly string[]
}

export interface Rewrite {
  readonly hostname?: string
  readonly path?: PathChange
}

export interface Redirect extends Rewrite {
  readonly scheme?: string
  readonly port?: number
  readonly statusCode: number
}

export type PathChange = { readonly kind: 'whole'; readonly path: string } | { readonly kind: 'prefix'; readonly path: string }

/** What a ReferenceGrant lets in. */
export interface Grant {
  /** Of the objects that are referred to. */
  readonly namespace: string
  readonly from: readonly { readonly group: string; readonly kind: string; readonly namespace: string }[]
  /** A name of '': all. */
  readonly to: readonly { readonly group: string; readonly kind: string; readonly name: string }[]
}
