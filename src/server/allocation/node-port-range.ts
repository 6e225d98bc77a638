/** The range of node ports, `first` and `last` included: `--service-node-port-range`. */
export interface NodePortRange {
  readonly first: number
  readonly last: number
}
