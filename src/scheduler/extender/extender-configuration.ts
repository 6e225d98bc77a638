/** An extender as a KubeSchedulerConfiguration names it. */
export interface ExtenderConfiguration {
  readonly urlPrefix?: string
  readonly filterVerb?: string
  readonly preemptVerb?: string
  readonly prioritizeVerb?: string
  readonly weight?: number
  readonly bindVerb?: string
  readonly enableHTTPS?: boolean
  readonly tlsConfig?: ExtenderTls
  /** A Go duration. Default `5s`. */
  readonly httpTimeout?: string
  /** Only names of nodes are sent: the extender caches the objects itself. */
  readonly nodeCacheCapable?: boolean
  /** Only pods that request one of these are sent; without such a list, all pods. */
  readonly managedResources?: readonly { readonly name?: string; readonly ignoredByScheduler?: boolean }[]
  /** When it fails, pods are placed without it. */
  readonly ignorable?: boolean
}

export interface ExtenderTls {
  readonly insecure?: boolean
  readonly serverName?: string
  readonly certFile?: string
  readonly keyFile?: string
  readonly caFile?: string
  /** PEM in base64, as all data. */
  readonly certData?: string
  readonly keyData?: string
  readonly caData?: string
}
