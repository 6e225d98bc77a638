/** The ports that services may have on nodes, `first` and `last` among them: `--service-node-port-range`. */
export interface NodePortRange {
  readonly first: number
  readonly last: number
}
