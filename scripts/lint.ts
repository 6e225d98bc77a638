/** `npm run lint` and `npm run format`: biome, fetched when it is first asked for. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { fetchedPackage } from './fetched-package.ts'

const biome = path.join(fetchedPackage('biome'), 'bin', 'biome')
const { status } = spawnSync(process.execPath, [biome, ...process.argv.slice(2)], { stdio: 'inherit' })
process.exit(status ?? 1)
