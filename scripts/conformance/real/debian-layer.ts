import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CONFORMANCE_CACHE, runOrThrow } from '../go-module.ts'

/** What images of the suite have beside its own programs. */
const PACKAGES = [
  'bash',
  'bash-static',
  'bind9-dnsutils',
  'curl',
  'iproute2',
  'iptables',
  'libc-bin',
  'netcat-openbsd',
  'nginx-light',
  'perl-base',
  'util-linux',
]
const NOT_NEEDED = ['doc', 'man', 'info', 'locale', 'lintian', 'bug', 'zoneinfo'].map((name) => `usr/share/${name}`)

/** A layer of Debian packages and all that they need, without running their scripts; fetched once, by apt. */
export function debianLayer(): Buffer {
  const files = path.join(CONFORMANCE_CACHE, 'debian')
  if (!existsSync(files)) unpack(files)
  return execFileSync('tar', ['--sort=name', '--mtime=@0', '--numeric-owner', '--owner=0', '--group=0', '-cf', '-', '-C', files, '.'], {
    maxBuffer: 1 << 30,
  })
}

function unpack(files: string): void {
  const archives = path.join(CONFORMANCE_CACHE, 'archives')
  const parts = `${files}.part`
  rmSync(parts, { recursive: true, force: true })
  for (const folder of [parts, path.join(archives, 'partial')]) mkdirSync(folder, { recursive: true })
  // To apt nothing is installed yet, so it fetches what the packages need, too.
  const status = path.join(archives, 'status')
  writeFileSync(status, '')
  const settings = [`Dir::State::status=${status}`, `Dir::Cache::archives=${archives}`, 'Debug::NoLocking=1'].flatMap((s) => ['-o', s])
  const install = ['-y', '--no-install-recommends', '--download-only', 'install']
  runOrThrow('apt-get', ['-qq', ...settings, ...install, ...PACKAGES], archives)
  for (const archive of globSync('*.deb', { cwd: archives })) runOrThrow('dpkg-deb', ['-x', archive, parts], archives)
  for (const name of NOT_NEEDED) rmSync(path.join(parts, name), { recursive: true, force: true })
  for (const [name, target] of [
    ['sh', 'bash'],
    ['nc', 'nc.openbsd'],
  ] as const)
    symlinkSync(target, path.join(parts, 'bin', name))
  renameSync(parts, files)
}
