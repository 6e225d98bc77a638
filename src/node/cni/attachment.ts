/** A container's interface in a network. */
export interface Attachment {
  readonly containerId: string
  /** The path of its network namespace; empty: it has gone. */
  readonly namespace: string
  readonly ifName: string
  /** `K8S_POD_NAME=web;…` */
  readonly args: string
  /** What plugins get that declare the capability: `portMappings`, `bandwidth`. */
  readonly capabilities: Readonly<Record<string, unknown>>
}
