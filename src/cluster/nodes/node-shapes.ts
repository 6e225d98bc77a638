import { dns1123Subdomain } from '../../machinery/names.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import { type NodeShape, NodeShapeError, readNodeShape, SHAPE_FIELDS } from '../../node/status/node-shape.ts'

/** A node of a shape. */
export interface ShapedNode {
  readonly name: string
  readonly shape: NodeShape
}

const KNOWN: readonly string[] = ['name', 'count', ...SHAPE_FIELDS]

/**
 * The nodes of `nodeShapes`: a shape with a `name` is the node of that name, or NAME-1 to NAME-COUNT; one without continues `node-1` …
 * after `plain` nodes. @throws {NodeShapeError}
 */
export function shapedNodes(
  shapes: readonly JsonObject[],
  { plain, most }: { readonly plain: number; readonly most: number },
): readonly ShapedNode[] {
  const nodes: ShapedNode[] = []
  const names = new Set<string>(Array.from({ length: plain }, (_, i) => `node-${i + 1}`))
  const add = (name: string, shape: NodeShape, at: string) => {
    if (names.has(name)) throw new NodeShapeError(`${at}: there are two nodes ${name}`)
    if (names.size >= most) throw new NodeShapeError(`${at}: a cluster has at most ${most} nodes`)
    names.add(name)
    nodes.push({ name, shape })
  }
  for (const [i, given] of shapes.entries()) {
    const at = `nodeShapes[${i}]`
    if (!isObject(given)) throw new NodeShapeError(`${at}: give a map`)
    const unknown = Object.keys(given).find((field) => !KNOWN.includes(field))
    if (unknown !== undefined) throw new NodeShapeError(`${at}.${unknown}: there is no such field; there are ${KNOWN.join(', ')}`)
    const { name, count = 1 } = given
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 0) throw new NodeShapeError(`${at}.count: give a whole number`)
    if (name !== undefined && (typeof name !== 'string' || dns1123Subdomain(name).length > 0))
      throw new NodeShapeError(`${at}.name: give the name of a node: letters, digits, "-" and "."`)
    const shape = readNodeShape(given, at)
    for (let n = 1; n <= count; n++) add(nameOf(name, { n, count, taken: names.size }), shape, at)
  }
  return nodes
}

function nameOf(name: string | undefined, at: { readonly n: number; readonly count: number; readonly taken: number }): string {
  if (name === undefined) return `node-${at.taken + 1}`
  return at.count === 1 ? name : `${name}-${at.n}`
}
