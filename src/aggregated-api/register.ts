import type { KubeObject } from '../machinery/object.ts'
import { isStatus } from '../machinery/status-error.ts'
import { API_SERVICES, SERVICES } from '../resources/refs.ts'
import type { Client } from '../sdk/client/client.ts'
import { LOCAL_PORT } from '../server/services/resolve-service.ts'

/** The objects to register for an aggregated API. */
export interface Registration {
  readonly group: string
  readonly versions: readonly string[]
  readonly service: { readonly namespace: string; readonly name: string; readonly port?: number }
  /** The port of this machine on which it listens; undefined: it is reached inside the process. */
  readonly localPort: number | undefined
  /** The authority of its certificate, PEM. */
  readonly ca: string | undefined
  readonly groupPriority: number
}

/** Creates the service and the APIServices, or updates them. */
export async function register(client: Client, registration: Registration): Promise<void> {
  const { service, localPort } = registration
  const { namespace, name, port = 443 } = service
  if (localPort !== undefined) {
    await put(client, { ...SERVICES, namespace, name }, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace, annotations: { [LOCAL_PORT]: String(localPort) } },
      spec: { ports: [{ name: 'https', port }] },
    } as KubeObject)
  }
  for (const [i, version] of registration.versions.entries()) {
    const metadata = { name: `${version}.${registration.group}` }
    await put(client, { ...API_SERVICES, name: metadata.name }, {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata,
      spec: {
        group: registration.group,
        version,
        groupPriorityMinimum: registration.groupPriority,
        versionPriority: 100 - i,
        service: { namespace, name, port },
        ...(registration.ca !== undefined && { caBundle: Buffer.from(registration.ca).toString('base64') }),
      },
    } as KubeObject)
  }
}

async function put(client: Client, { name = '', ...collection }: Parameters<Client['get']>[0], object: KubeObject): Promise<void> {
  try {
    await client.create(collection, object)
  } catch (error) {
    if (!isStatus(error, 'AlreadyExists')) throw error
    const { metadata, spec } = object
    await client.patch({ ...collection, name }, 'merge', { metadata: { annotations: metadata.annotations ?? {} }, spec })
  }
}
