// The keys of the adjudication page while it shows no case that can be settled: they press its buttons.
import { listenForKeys } from "./judging_keys.js";
import { ADJUDICATION_KEYS } from "./keymap.js";

const showKeysDialog = () => document.getElementById("keys").showModal();

document.addEventListener("click", ({ target }) => target.closest("[data-do=keys]") && showKeysDialog());
listenForKeys({ actions: { keys: showKeysDialog }, keys: ADJUDICATION_KEYS });
