// The lists that admins keep: the fields of an entry, and the one that names it.

import { t } from "./texts.js";

const name = () => ({ name: "name", label: t("edit.name") });

export const KINDS = {
  tags: { title: "name", fields: () => [name()], empty: { name: "" } },
  badges: {
    title: "label",
    fields: () => [
      { name: "label", label: t("edit.name") },
      { name: "purpose", label: t("lists.purpose"), hint: t("lists.purpose.hint") },
      { name: "description", label: t("edit.description"), kind: "area" },
      { name: "color", label: t("lists.color"), kind: "color" },
    ],
    empty: { label: "", purpose: "", description: "", color: "#3b4cca" },
  },
  schools: {
    title: "name",
    fields: () => [name(), { name: "is_graduate", label: t("lists.graduate"), kind: "check" }],
    empty: { name: "", is_graduate: false },
  },
  majors: { title: "name", fields: () => [name()], empty: { name: "" } },
  years: {
    title: "name",
    fields: () => [name(), { name: "year", label: t("settings.year"), kind: "number" }],
    empty: { name: "", year: null },
  },
};
