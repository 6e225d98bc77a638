#!/usr/bin/env node
// `npm create bowsprit-operator FOLDER` is `bowsprit create operator FOLDER`.
const program = new URL('dist/bowsprit.js', import.meta.resolve('bowsprit/package.json'))
process.argv.splice(2, 0, 'create', 'operator')
await import(program)
