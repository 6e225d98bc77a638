import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'

/** The default folder of device plugins. */
export const KUBELETS_FOLDER = '/var/lib/kubelet'

/** The entries that a simulated node creates; any other entry belongs to a real kubelet. */
const OURS: ReadonlySet<string> = new Set(['device-plugins', 'plugins_registry', 'pod-resources'])

/**
 * The kubelet's default folder of device plugins, if it exists and no kubelet uses it: neither a running one, nor a stopped one that left
 * its configuration, pods or state. Undefined: the folder must not be used without an explicit option.
 */
export async function waitingPluginFolder(kubelet = KUBELETS_FOLDER): Promise<string | undefined> {
  const plugins = path.join(kubelet, 'device-plugins')
  const found = entries(kubelet)
  if (!found.includes('device-plugins') || !found.every((name) => OURS.has(name))) return undefined
  return (await somebodyListens(path.join(plugins, 'kubelet.sock'))) ? undefined : plugins
}

function entries(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function somebodyListens(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket, () => {
      connection.destroy()
      resolve(true)
    })
    connection.on('error', () => resolve(false))
  })
}
