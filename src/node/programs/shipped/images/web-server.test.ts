import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSites } from './web-server.ts'

const USUAL = { port: 80, root: '/usual' }
const site = (port: number, root = '/usual', answer?: { status: number; text: string }) => ({ port, root, answer })

const ROWS: readonly (readonly [configuration: string, sites: readonly ReturnType<typeof site>[]])[] = [
  ['', []],
  ['server {}', [site(80)]],
  ['server { listen 8080; }', [site(8080)]],
  ['server { listen 0.0.0.0:81; root /www; }', [site(81, '/www')]],
  ['server { listen 80 default_server; root "/a"; }', [site(80, '/a')]],
  ['server { return 200 "ok\\n"; }', [site(80, '/usual', { status: 200, text: 'ok\n' })]],
  ["server { return 404 'gone'; }", [site(80, '/usual', { status: 404, text: 'gone' })]],
  ['server { return 204; }', [site(80, '/usual', { status: 204, text: '' })]],
  ['server { return 301 /there; }', [site(80, '/usual', { status: 301, text: '/there' })]],
  ['# server { listen 1; }\nserver { listen 2; # listen 3;\n}', [site(2)]],
  ['http { server { listen 1; } server { listen 2; root /b; } }', [site(1), site(2, '/b')]],
]
for (const [configuration, sites] of ROWS)
  test(`the configuration ${JSON.stringify(configuration)} has ${sites.length} sites`, () => {
    assert.deepEqual(readSites(configuration, USUAL), sites)
  })
