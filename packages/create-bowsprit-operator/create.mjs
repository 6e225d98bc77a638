#!/usr/bin/env node
// `npm create bowsprit-operator FOLDER` is `bowsprit create operator FOLDER`.
const program = new URL('dist/bowsprit.js', installed('bowsprit/package.json'))
process.argv.splice(2, 0, 'create', 'operator')
await import(program)

function installed(file) {
  try {
    return import.meta.resolve(file)
  } catch {
    console.error(
      'create-bowsprit-operator: its dependency bowsprit is not installed; in a checkout, npm run bowsprit -- create operator FOLDER',
    )
    process.exit(1)
  }
}
