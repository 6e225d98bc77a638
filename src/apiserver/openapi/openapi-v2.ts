import { sortedByKey } from '../../base/by-text.ts'
import type { Steps } from '../../base/steps.ts'
import type { JsonObject } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import type { Schema } from '../../machinery/schema/schema.ts'
import { type Kinds, metaSchema } from '../kinds.ts'
import { BEARER, documentHash, groupVersionPaths, INFO, kindsOf, servedGroupVersions } from './document.ts'
import { byName, CODES, sharedParameters } from './openapi-v3.ts'
import { capital, groupTag, type Operation, rootOf } from './operations.ts'
import type { Parameter } from './parameters.ts'
import { SchemaDocument } from './schema-document.ts'

/**
 * The OpenAPI v2 document of all served resources, in steps. Takes tens of milliseconds, and a millisecond for each definition: cache it by
 * the definitions that it was made of.
 */
export function* openapiV2(kinds: Kinds, definitions: readonly ResourceDefinition[]): Steps<JsonObject> {
  const groupVersions = servedGroupVersions(definitions)
  const writer = new Writer(kinds, new SchemaDocument(2, kinds, kindsOf(kinds, definitions, groupVersions)))
  const customGroups = groupsOfCustom(definitions)
  for (const gv of groupVersions) {
    yield
    const tag = `${groupTag(gv.group)}_${gv.version}`
    const operationId = `get${capital(groupTag(gv.group))}${capital(gv.version)}APIResources`
    if (!customGroups.has(gv.group)) writer.discovery(`${rootOf(gv)}/`, operationId, tag, 'APIResourceList')
    for (const [path, operations] of groupVersionPaths(kinds, definitions, gv)) writer.resource(path, operations, tag)
  }
  for (const group of new Set(groupVersions.map((gv) => gv.group))) {
    if (customGroups.has(group)) continue
    const id = `get${capital(groupTag(group))}API${group === '' ? 'Versions' : 'Group'}`
    writer.discovery(group === '' ? '/api/' : `/apis/${group}/`, id, groupTag(group), group === '' ? 'APIVersions' : 'APIGroup')
  }
  writer.discovery('/apis/', 'getAPIVersions', 'apis', 'APIGroupList')
  writer.version()
  return writer.document()
}

/** Groups of custom resources alone: the document has no discovery of them. */
function groupsOfCustom(definitions: readonly ResourceDefinition[]): ReadonlySet<string> {
  const custom = new Set(definitions.flatMap((d) => (d.customDefinition === undefined ? [] : [d.group])))
  for (const { group, customDefinition } of definitions) if (customDefinition === undefined) custom.delete(group)
  return custom
}

const MEDIA = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']
/** Collects paths; parameters that many operations share are written once, under `parameters`. */
class Writer {
  readonly #kinds: Kinds
  readonly #schemas: SchemaDocument
  readonly #paths: Record<string, JsonObject> = {}
  readonly #parameters: Record<string, JsonObject> = {}

  constructor(kinds: Kinds, schemas: SchemaDocument) {
    this.#kinds = kinds
    this.#schemas = schemas
  }

  document(): JsonObject {
    return {
      swagger: '2.0',
      info: INFO,
      paths: sortedByKey(this.#paths),
      definitions: sortedByKey(this.#schemas.components),
      parameters: sortedByKey(this.#parameters),
      securityDefinitions: { BearerToken: { ...BEARER } },
      security: [{ BearerToken: [] }],
    }
  }

  discovery(path: string, operationId: string, tag: string, kind: string) {
    const what =
      kind === 'APIResourceList' ? 'available resources' : kind === 'APIGroup' ? 'information of a group' : 'available API versions'
    this.#plain(path, { description: `get ${what}`, operationId, tags: [tag] }, MEDIA, metaSchema(this.#kinds, kind))
  }

  version() {
    const info = this.#kinds.byOpenapiName('io.k8s.apimachinery.pkg.version.Info')
    if (info)
      this.#plain(
        '/version/',
        { description: 'get the version information for this server', operationId: 'getCodeVersion', tags: ['version'] },
        ['application/json'],
        info,
      )
  }

  #plain(path: string, about: JsonObject, media: readonly string[], result: Schema) {
    const responses = { '200': { description: 'OK', schema: this.#schemas.reference(result) }, '401': { description: 'Unauthorized' } }
    this.#paths[path] = { get: { ...about, consumes: [...media], produces: [...media], schemes: ['https'], responses } }
  }

  resource(path: string, operations: readonly Operation[], tag: string) {
    const shared = sharedParameters(operations)
    const item: JsonObject = {}
    for (const operation of operations) item[operation.method] = this.#operation(operation, shared, tag)
    if (shared.length > 0) item.parameters = shared.map((p) => this.#parameter(p))
    this.#paths[path] = item
  }

  #operation(operation: Operation, shared: readonly Parameter[], tag: string): JsonObject {
    const own = operation.parameters.filter((p) => !shared.some((q) => q.name === p.name && q.in === p.in)).sort(byName)
    const parameters = [...(operation.body ? [this.#body(operation.body)] : []), ...own.map((p) => this.#parameter(p))]
    return {
      description: operation.description,
      consumes: [...operation.consumes],
      produces: [...operation.produces],
      schemes: ['https'],
      tags: [tag],
      operationId: operation.id,
      ...(parameters.length > 0 ? { parameters } : {}),
      responses: this.#responses(operation),
      'x-kubernetes-action': operation.action,
      'x-kubernetes-group-version-kind': { ...operation.kind },
    }
  }

  #body(body: NonNullable<Operation['body']>): JsonObject {
    const schema = body.schema === 'patch' ? this.#schemas.patch() : this.#schemas.reference(body.schema)
    const written = { name: 'body', in: 'body', ...(body.required ? { required: true } : {}), schema }
    return body.schema === 'patch' || !body.required ? this.#share(written) : written
  }

  #parameter(p: Parameter): JsonObject {
    const written = {
      name: p.name,
      in: p.in,
      ...(p.description === '' ? {} : { description: p.description }),
      ...(p.in === 'path' ? { required: true } : {}),
      type: p.type,
      uniqueItems: true,
    }
    return p.in === 'path' && p.name === 'name' ? written : this.#share(written)
  }

  #share(written: JsonObject & { readonly name: string }): JsonObject {
    const name = `${written.name}-${documentHash(JSON.stringify(written)).slice(0, 8)}`
    this.#parameters[name] = written
    return { $ref: `#/parameters/${name}` }
  }

  #responses(operation: Operation): JsonObject {
    const schema = operation.result === 'text' ? { type: 'string' } : this.#schemas.reference(operation.result)
    const answers: JsonObject = {}
    for (const code of operation.codes) answers[code] = { description: CODES[code] ?? '', schema }
    return { ...answers, '401': { description: 'Unauthorized' } }
  }
}
