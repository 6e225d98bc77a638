import { sortedByKey } from '../../base/by-text.ts'
import type { JsonObject } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { type Kinds, metaSchema } from '../kinds.ts'
import { BEARER, CUSTOM_INFO, type GroupVersion, groupVersionPaths, INFO, kindsOf } from './document.ts'
import { capital, groupTag, type Operation, rootOf } from './operations.ts'
import type { Parameter } from './parameters.ts'
import { SchemaDocument } from './schema-document.ts'

/** The OpenAPI v3 document of one group version. Takes milliseconds: cache it by the definitions that it was made of. */
export function openapiV3(kinds: Kinds, definitions: readonly ResourceDefinition[], gv: GroupVersion): JsonObject {
  const core = { group: '', version: 'v1' }
  const schemas = new SchemaDocument(3, kinds, kindsOf(kinds, definitions, gv.group === '' ? [core] : [core, gv]))
  const tag = `${groupTag(gv.group)}_${gv.version}`
  const paths: JsonObject = {}
  const custom = definitions.every((definition) => definition.customDefinition !== undefined)
  if (!custom) paths[`${rootOf(gv)}/`] = discoveryPath(kinds, schemas, gv, tag)
  for (const [path, operations] of groupVersionPaths(kinds, definitions, gv)) paths[path] = pathItem(schemas, operations, tag)
  const { components } = schemas
  return custom
    ? { openapi: '3.0.0', info: CUSTOM_INFO, paths, components: { schemas: sortedByKey(components) } }
    : document(paths, schemas)
}

function document(paths: JsonObject, { components }: SchemaDocument): JsonObject {
  const securitySchemes = { BearerToken: BEARER }
  return { openapi: '3.0.0', info: INFO, paths, components: { schemas: sortedByKey(components), securitySchemes } }
}

/** The document of `/api`, `/apis` or `/apis/GROUP`: discovery only. */
export function openapiV3Discovery(kinds: Kinds, path: '/api' | '/apis' | `/apis/${string}`): JsonObject {
  const group = path.startsWith('/apis/') ? path.slice('/apis/'.length) : undefined
  const schemas = new SchemaDocument(3, kinds, kindsOf(kinds, [], []))
  const kind = path === '/api' ? 'APIVersions' : path === '/apis' ? 'APIGroupList' : 'APIGroup'
  const tag = path === '/api' ? 'core' : group === undefined ? 'apis' : groupTag(group)
  const name = group === undefined ? (path === '/api' ? 'getCoreAPIVersions' : 'getAPIVersions') : `get${capital(groupTag(group))}APIGroup`
  const description = group === undefined ? 'get available API versions' : 'get information of a group'
  const get = { tags: [tag], description, operationId: name, responses: answers(kinds, schemas, kind) }
  return document({ [`${path}/`]: { get } }, schemas)
}

/** The document of a non-resource path: `version`, the issuer's keys and configuration. */
export function openapiV3Plain(kinds: Kinds, path: string): JsonObject {
  const schemas = new SchemaDocument(3, kinds, kindsOf(kinds, [], []))
  const info = path === 'version' ? kinds.byOpenapiName('io.k8s.apimachinery.pkg.version.Info') : undefined
  const schema = info === undefined ? { type: 'string' } : schemas.reference(info)
  const [tag, description, operationId, media] = PLAIN[path] ?? [path, path, path, 'application/json']
  const responses = { '200': { description: 'OK', content: { [media]: { schema } } }, '401': { description: 'Unauthorized' } }
  return document({ [`/${path}/`]: { get: { tags: [tag], description, operationId, responses } } }, schemas)
}

const PLAIN: Readonly<Record<string, readonly [tag: string, description: string, id: string, media: string]>> = {
  version: ['version', 'get the version of this server', 'getCodeVersion', 'application/json'],
  'openid/v1/jwks': [
    'openid',
    'get the keys that service account tokens are signed with',
    'getServiceAccountIssuerOpenIDKeyset',
    'application/jwk-set+json',
  ],
  '.well-known/openid-configuration': [
    'WellKnown',
    'get the OpenID configuration of the service account issuer',
    'getServiceAccountIssuerOpenIDConfiguration',
    'application/json',
  ],
}
const MEDIA = ['application/json', 'application/vnd.kubernetes.protobuf', 'application/yaml']

function discoveryPath(kinds: Kinds, schemas: SchemaDocument, gv: GroupVersion, tag: string): JsonObject {
  const operationId = `get${capital(groupTag(gv.group))}${capital(gv.version)}APIResources`
  return {
    get: { tags: [tag], description: 'get available resources', operationId, responses: answers(kinds, schemas, 'APIResourceList') },
  }
}

function answers(kinds: Kinds, schemas: SchemaDocument, kind: string): JsonObject {
  const schema = schemas.reference(metaSchema(kinds, kind))
  return {
    '200': { description: 'OK', content: Object.fromEntries(MEDIA.map((m) => [m, { schema }])) },
    '401': { description: 'Unauthorized' },
  }
}

/** Parameters that all operations of a path share are written at the path. */
function pathItem(schemas: SchemaDocument, operations: readonly Operation[], tag: string): JsonObject {
  const shared = sharedParameters(operations)
  const item: JsonObject = {}
  for (const operation of operations) item[operation.method] = writeOperation(schemas, operation, shared, tag)
  if (shared.length > 0) item.parameters = shared.map(writeParameter)
  return item
}

/** The parameters that all operations have, sorted by name. */
export function sharedParameters(operations: readonly Operation[]): Parameter[] {
  const [first, ...others] = operations
  const shared = (first?.parameters ?? []).filter((p) => others.every((o) => o.parameters.some((q) => q.name === p.name && q.in === p.in)))
  return shared.sort(byName)
}

export const byName = (a: Parameter, b: Parameter) => (a.name === b.name ? (a.in < b.in ? -1 : 1) : a.name < b.name ? -1 : 1)

function writeParameter(p: Parameter): JsonObject {
  return {
    name: p.name,
    in: p.in,
    ...(p.description === '' ? {} : { description: p.description }),
    ...(p.in === 'path' ? { required: true } : {}),
    schema: { type: p.type, uniqueItems: true },
  }
}

function writeOperation(schemas: SchemaDocument, operation: Operation, shared: readonly Parameter[], tag: string): JsonObject {
  const own = operation.parameters.filter((p) => !shared.some((q) => q.name === p.name && q.in === p.in)).sort(byName)
  return {
    tags: [tag],
    description: operation.description,
    operationId: operation.id,
    ...(own.length > 0 ? { parameters: own.map(writeParameter) } : {}),
    ...(operation.body ? { requestBody: requestBody(schemas, operation, operation.body) } : {}),
    responses: responses(schemas, operation),
    'x-kubernetes-action': operation.action,
    'x-kubernetes-group-version-kind': { ...operation.kind },
  }
}

function requestBody(schemas: SchemaDocument, operation: Operation, body: NonNullable<Operation['body']>): JsonObject {
  const schema = body.schema === 'patch' ? schemas.patch() : schemas.reference(body.schema)
  return {
    content: Object.fromEntries([...operation.consumes].sort().map((m) => [m, { schema }])),
    ...(body.required ? { required: true } : {}),
  }
}

export const CODES: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' }

function responses(schemas: SchemaDocument, operation: Operation): JsonObject {
  const schema = operation.result === 'text' ? { type: 'string' } : schemas.reference(operation.result)
  const content = Object.fromEntries([...operation.produces].sort().map((m) => [m, { schema }]))
  const answers: JsonObject = {}
  for (const code of operation.codes) answers[code] = { description: CODES[code] ?? '', content }
  return { ...answers, '401': { description: 'Unauthorized' } }
}
