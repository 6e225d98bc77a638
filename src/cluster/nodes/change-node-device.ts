import { changeDevice, type DeviceVerb } from '../../node/allocation/devices/described/change-device.ts'
import { createClient } from '../../sdk/client/create-client.ts'
import { httpsTransport } from '../../sdk/client/https.ts'
import { loadKubeconfigFile } from '../../sdk/client/kubeconfig.ts'

/** Changes a described device of a node of a running cluster. */
export async function changeNodeDevice(
  kubeconfig: string,
  { node, verb, device }: { readonly node: string; readonly verb: DeviceVerb; readonly device: string },
): Promise<void> {
  await using transport = httpsTransport(await loadKubeconfigFile(kubeconfig))
  await changeDevice(createClient(transport), node, verb, device)
}
