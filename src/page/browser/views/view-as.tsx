import { useSignal } from '@preact/signals'
import { Dialog } from '../parts/dialog.tsx'
import { viewAs, viewedUser } from '../state/connection.ts'

/** Asks whom to see the cluster as. */
export function ViewAsDialog({ onClose }: { onClose(): void }) {
  const name = useSignal(viewedUser.value)
  return (
    <Dialog title="See the cluster as" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          viewAs(name.value.trim())
        }}
      >
        <input
          type="search"
          aria-label="Name of the user"
          placeholder="system:serviceaccount:default:default"
          value={name.value}
          onInput={({ currentTarget }) => {
            name.value = currentTarget.value
          }}
        />{' '}
        <button type="submit" class="primary">
          See it so
        </button>{' '}
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </form>
      <p class="calm">
        A user, or a service account. Nothing: as the page itself. Views and writes of this tab have the rights of that user.
      </p>
    </Dialog>
  )
}
