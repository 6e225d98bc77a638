/**
 * A value of Go that is no decoded JSON: what an expression made, and Kubernetes does not convert to JSON. It fits no type; faults show it
 * as Go does. It stands where JSON is wanted (`asJson`), until that is checked.
 */
export class GoValue {
  /** Its type: `uint64`. */
  readonly type: string
  /** Go's `%v`. */
  readonly print: string
  /** Go's `%#v`. */
  readonly syntax: string

  constructor(type: string, print: string, syntax: string) {
    this.type = type
    this.print = print
    this.syntax = syntax
  }
}
