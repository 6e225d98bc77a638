import path from 'node:path'
import type { Clock } from '../../../base/clock.ts'
import { answer } from '../../../sdk/grpc/serve-unix.ts'
import { REGISTRATION } from '../../../sdk/node-api/device-plugin.ts'
import type { DeviceManager } from './device-manager.ts'
import { connectPlugin } from './plugin-connection.ts'
import { RegistrationError } from './plugin-pools.ts'

/** The Registration service on `kubelet.sock`. A plugin has to listen in the same folder. */
export function registrationService(manager: DeviceManager, folder: string, clock: Clock) {
  return answer(REGISTRATION.register, async ({ version, endpoint, resourceName }) => {
    manager.plugins.check(resourceName, [version])
    await manager.plugins.register(resourceName, await connectPlugin(endpointIn(folder, endpoint), clock))
    return {}
  })
}

/** The kubelet would follow `../`; here a plugin's socket has to be in the plugin folder or below it. */
export function endpointIn(folder: string, endpoint: string): string {
  const socket = path.resolve(folder, `./${endpoint}`)
  const inside = path.relative(folder, socket)
  if (inside === '' || inside.startsWith('..')) throw new RegistrationError(`the endpoint ${JSON.stringify(endpoint)} is not in ${folder}`)
  return socket
}
