import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'

/** Where plugins look unless they are told otherwise. */
export const KUBELETS_FOLDER = '/var/lib/kubelet'

/** What a node of ours leaves there; whatever else stands there is a kubelet's. */
const OURS: ReadonlySet<string> = new Set(['device-plugins', 'plugins_registry', 'pod-resources'])

/**
 * The kubelet's own folder of device plugins, where somebody made it and no kubelet is at home: neither one that runs, nor one that is
 * stopped and left its configuration, its pods or its states. undefined: it is not to be touched unless it is named.
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
