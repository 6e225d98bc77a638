/** Runs the sanity suite of `csi-test`: `csi-sanity.test.ts` starts this file in namespaces of its own. */
import path from 'node:path'
import { serveCsiDriver } from '../../src/sdk/csi/serve-csi-driver.ts'
import { runProgram } from '../run-program.ts'
import { folderDriver } from './csi/folder-driver.ts'

const [folder = '', suite = ''] = process.argv.slice(2)
const driver = folderDriver({ name: 'folders.example.com', root: path.join(folder, 'volumes'), nodeId: 'node-1' })
const socket = path.join(folder, 'csi.sock')
await using _driver = await serveCsiDriver(driver, { socket })
const flags = {
  'csi.endpoint': `unix://${socket}`,
  'csi.stagingdir': path.join(folder, 'staging'),
  'csi.mountdir': path.join(folder, 'mount'),
  'csi.testvolumesize': String(2 ** 20),
  'csi.testvolumeexpandsize': String(2 ** 21),
}
const { code, out } = await runProgram(suite, [...Object.entries(flags).map(([name, value]) => `--${name}=${value}`), '--ginkgo.no-color'])
if (code !== 0) console.log(out)
console.log(out.split('\n').findLast((line) => /^Ran |Passed/.test(line)) ?? 'the suite did not end')
process.exitCode = code ?? 1
