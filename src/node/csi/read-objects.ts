import { ignoring } from '../../machinery/ignoring.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { CSI_DRIVERS, SECRETS, VOLUME_ATTACHMENTS } from '../../resources/refs.ts'
import type { SecretReference } from '../../resources/types/core.ts'
import type { CSIDriver } from '../../resources/types/storage.ts'
import type { Client, TargetOf } from '../../sdk/client/client.ts'
import { CsiError } from './csi-error.ts'
import { attachmentId, type CsiVolume } from './csi-volume.ts'

/** The CSIDriver object; undefined where there is none, and the defaults hold. */
export const readDriver = (client: Client, name: string): Promise<CSIDriver | undefined> => find(client, { ...CSI_DRIVERS, name })

/** What the driver said when the volume was attached to the node; nothing where volumes need not be attached. Rejects with `CsiError`. */
export async function publishContext(
  client: Client,
  volume: CsiVolume,
  { driver, nodeName }: { readonly driver: CSIDriver | undefined; readonly nodeName: string },
): Promise<ReadonlyMap<string, string>> {
  if (volume.inline || driver?.spec?.attachRequired === false) return new Map()
  const name = attachmentId(volume, nodeName)
  const { status } = (await find(client, { ...VOLUME_ATTACHMENTS, name })) ?? {}
  if (status?.attached !== true) throw new CsiError(`volume attachment ${name} is not attached`)
  return new Map(Object.entries(status.attachmentMetadata ?? {}))
}

/** The content of a secret for a call. Rejects with `CsiError`. */
export async function readSecret(client: Client, secret: SecretReference | undefined): Promise<ReadonlyMap<string, string>> {
  const { name, namespace } = secret ?? {}
  if (name === undefined || namespace === undefined) return new Map()
  const { data = {} } = await client.get({ ...SECRETS, namespace, name }).catch((error) => {
    throw new CsiError(`failed to find the secret ${name} in the namespace ${namespace} with error: ${error.message}`, { cause: error })
  })
  return new Map(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]))
}

const find = <T extends KubeObject>(client: Client, target: TargetOf<T>): Promise<T | undefined> =>
  client.get(target).catch(ignoring('NotFound'))
