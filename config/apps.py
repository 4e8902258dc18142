from django.contrib.admin import apps


class Administration(apps.AdminConfig):
    default_site = "config.administration.Administration"
    default = False  # it stands in for django.contrib.admin; the app `config` is not it
