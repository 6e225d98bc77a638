/** Devices, processors and memory for real containers. Skipped where root or containerd is missing. */
import path from 'node:path'
import { realTest } from './real-test.ts'

realTest('real containers are given devices, processors and memory', path.join(import.meta.dirname, 'devices.ts'))
