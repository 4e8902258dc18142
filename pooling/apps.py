from django.apps import AppConfig
from django.urls import register_converter

from pooling.addresses import TopicConverter


class PoolingConfig(AppConfig):
    name = "pooling"

    def ready(self) -> None:
        register_converter(TopicConverter, "topic")
